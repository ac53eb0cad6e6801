public import GameFlow
internal import JSONCoding
public import Journal
internal import Sessions
internal import Timers

/// Replays a journal with a changed flow to find what would have happened differently.
///
/// The rows give the inputs from outside and their times; the changed flow determines what follows from the inputs, and sets
/// the timers. A timer with the recorded deadline fires as late as it did in the recording, because the delay came from the
/// clock and not from the flow. `gamectl` creates a replay, passes each row to `execute`, calls `finish`, and then reads
/// `traces`.
public final class CounterfactualReplay {
    /// The changed flow.
    public let flow: AnyFlow
    /// The flows of the program, which the recorded sessions may have played.
    private let programFlows: [AnyFlow]
    /// Whether all recorded sessions are replayed with the changed flow. The user of the replay passes true if no session
    /// played a flow with the name of the changed flow. If false, only the sessions that played such a flow are replayed.
    public let replaysAllSessions: Bool
    /// The replayed sessions, in the order in which they were opened.
    public private(set) var traces: [SessionTrace] = []
    /// The number of rows that were skipped because they are damaged or cannot be read.
    public private(set) var unreadRows = 0
    /// For each name: the trace of the session that the replay has opened and not yet closed.
    private var currentTraces: [SessionName: SessionTrace] = [:]
    /// How many sessions of each name were opened.
    private var openings: [SessionName: Int] = [:]
    /// Executes the rows in sessions of its own.
    private let driver: ReplayDriver
    /// The number of rows that the replay has made from its own records.
    private var storedRows = 0
    /// The record of the newest recorded row so far that could be read.
    private var newestRecord: SessionRecord?

    /// Prepares the replay of a journal whose rows up to `pruned` were removed. `programFlows` are the
    /// flows that the sessions may have played.
    public init(
        _ flow: AnyFlow, programFlows: [AnyFlow], replaysAllSessions: Bool,
        prunedUpTo pruned: Int = 0
    ) {
        (self.flow, self.programFlows) = (flow, programFlows)
        self.replaysAllSessions = replaysAllSessions
        // A restart restores the sessions from the rows of the replayed records, of which none is removed (0).
        driver = ReplayDriver(FlowCatalog([.init(flow)]), prunedUpTo: pruned, restartPruned: 0)
        driver.recorder = { [unowned self] record, previous in
            let row = write(record, after: previous)
            if let name = record.session { currentTraces[name]?.addReplayed(record) }
            return row.journalPosition
        }
    }

    /// Stores a replayed record as a row for later restarts.
    private func write(_ record: SessionRecord, after previous: JournalPosition) -> JournalRow {
        storedRows += 1
        let row = JournalRow(record, at: storedRows, after: previous)
        driver.reading.add(row)
        return row
    }

    /// Whether the row's session plays a flow of that name.
    public static func plays(_ flow: String, _ row: JournalRow) -> Bool {
        (try? row.record())?.status?.flow == flow
    }

    // MARK: rows

    /// Replays the next row.
    public func execute(_ row: JournalRow) {
        guard row.hasValidChecksum, let record = try? row.record() else {
            unreadRows += 1
            return
        }
        newestRecord = record
        if let name = record.session, currentTraces[name] == nil, !canBegin(with: row) { return }
        guard let cause = try? record.cause() else {
            unreadRows += 1
            return
        }
        // No store confirms the replayed rows: treating them as durable keeps them from accumulating in memory.
        defer { driver.sessions.rowsBecameDurable(upTo: .max) }
        guard let name = record.session else {
            _ = driver.run(cause, record, self)
            return
        }
        replay(cause, record, name, row)
    }

    /// Call after the last row: fires the timers that are due by the end of the recording.
    public func finish() {
        guard let newestRecord else { return }
        let end =
            switch try? newestRecord.cause() {
            // If the recording ended while due timers were firing, some of these timers may not have fired.
            case .firing, .consequence, nil: newestRecord.at + .lateTimerMargin
            case .request, .other: newestRecord.at
            }
        _ = driver.run(until: end, before: newestRecord, self)
        for trace in traces { trace.expectNothing() }
    }

    /// Whether the replay of the row's session, which has no trace yet, can begin with the row.
    private func canBegin(with row: JournalRow) -> Bool {
        if replaysAllSessions, row.kind == .change, row.previous == .start { return true }
        if row.previous == .start { return Self.plays(flow.name, row) }
        return driver.beginsInMiddle(with: row) && Self.plays(flow.name, row)
    }

    private func replay(
        _ cause: SessionRecord.Cause, _ record: SessionRecord, _ name: SessionName,
        _ row: JournalRow
    ) {
        let kind = cause.requestedKind
        if kind == .open { return open(record, name) }
        guard currentTraces[name] != nil else {
            // The session's first rows were removed: its replay begins with the first remaining row.
            if row.previous != .start { restore(record, name) }
            return
        }
        if let kind, !kind.canBeMadeWithOtherFlow { return endTrace(kind, record, name) }
        _ = driver.run(cause, record, self)
        if kind == .close { currentTraces[name] = nil }
        if case .quarantineGivenUp = record.body { currentTraces[name] = nil }
    }

    /// Ends the replay of a session at a change that the replay cannot execute.
    private func endTrace(_ kind: Step.Kind, _ record: SessionRecord, _ name: SessionName) {
        _ = driver.runTimers(before: record, self)
        currentTraces[name]?.expectNothing(before: record)
        currentTraces[name]?.addUnreplayedStep(kind, record)
        if let session = try? driver.sessions.session(name) {
            _ = try? driver.sessions.close(session, RequestContext(from: .program))
        }
        currentTraces[name] = nil
    }

    /// Adds the trace of a session whose first recorded record is `record`.
    private func addTrace(_ name: SessionName, _ record: SessionRecord) -> SessionTrace {
        openings[name, default: 0] += 1
        let trace = SessionTrace(name, opening: openings[name] ?? 1, record)
        traces.append(trace)
        currentTraces[name] = trace
        return trace
    }

    private func open(_ record: SessionRecord, _ name: SessionName) {
        _ = driver.runTimers(before: record, self)
        currentTraces[name]?.expectNothing()
        _ = addTrace(name, record)
        guard let cause = try? translated(record).cause() else { return }
        _ = driver.run(cause, record, self)
    }

    /// The record of an opening as if the session was opened with the changed flow, with only those settings that the changed
    /// flow has. If the session played another flow, and was opened in the initial state of that flow, it begins in the initial
    /// state of the changed flow.
    private func translated(_ record: SessionRecord) -> SessionRecord {
        guard let status = record.status else { return record }
        let recorded = FlowChoice(status)
        let initial = programFlows.first { $0.name == recorded.name }?.initial
        let isInitial = replaysAllSessions && initial == record.change?.step.to?.state
        return record.playing(
            translated(recorded), openedIn: isInitial ? StateRecord(flow.initial) : nil)
    }

    /// The changed flow, with only those settings of the choice that the flow has.
    private func translated(_ choice: FlowChoice) -> FlowChoice {
        FlowChoice(
            flow.name, sourceVersion: flow.source?.version,
            settings: choice.settings.filter { setting in
                flow.settings.contains { $0.name == setting.name }
            })
    }

    /// Begins the replay of a session in the middle, with the state in this record. The record becomes a row, from which a
    /// restart of the replayed daemon restores the session.
    private func restore(_ record: SessionRecord, _ name: SessionName) {
        _ = driver.run(until: record.at + .lateTimerMargin, before: record, self)
        addTrace(name, record).begin(with: record)
        _ = write(
            record.status.map { record.playing(translated(FlowChoice($0))) } ?? record,
            after: .start)
        restart(at: record.at, lastAlive: record.at, wasRunning: true)
    }

    /// Restarts the replayed daemon. `lastAlive` is the last instant at which the recorded daemon is known to have run.
    /// `wasRunning` is true if timers did not stand still: after a hand-over, and if the restart only restores a session.
    private func restart(at now: Instant, lastAlive: Instant, wasRunning: Bool = false) {
        let lost = driver.restart(at: now, lastAlive: lastAlive, wasRunning: wasRunning)
        for error in lost { currentTraces[error.session]?.quarantined(error.why, at: now) }
        if !wasRunning { driver.sessions.recordStart([], lastAlive: lastAlive) }
    }
}

/// Compares each replayed record with the recorded one, session by session. A difference does not stop the replay, so `Stop`
/// is `Never` and the methods return nil.
extension CounterfactualReplay: ReplayPolicy {
    func start(_ start: SessionRecord.Start, _ record: SessionRecord) -> Never? {
        if start.isAfterOutage { return nil }
        if start.isAfterStandstill {
            _ = driver.continueAfterStandstill(start, record, self)
            driver.sessions.recordStart([], lastAlive: start.lastAlive)
            return nil
        }
        if let newestRecord {
            _ = driver.run(
                until: start.lastAlive + .lateTimerMargin, before: newestRecord, self)
        }
        restart(at: start.now, lastAlive: start.lastAlive, wasRunning: start.isHandOver)
        return nil
    }

    func timerFired(before record: SessionRecord) -> Never? { nil }

    /// A countdown with the recorded deadline has not fired in the recording either. Of a pendulum nothing is known: the beats that
    /// were not recorded may be more than beats in the changed flow.
    func mayWaitForRow(_ timer: ReplayClock.NextTimer) -> Bool {
        guard timer.period == nil, let name = timer.session else { return false }
        return currentTraces[name]?.hasRecordedDeadline(timer.signal) ?? false
    }

    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool {
        trace(record)?.hasRecordedDeadline(signal) ?? false
    }

    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Never? { compare(record) }

    func willPerform(_ record: SessionRecord) -> Never? {
        trace(record)?.expectNothing(before: record)
        return nil
    }

    func refused(_ error: RequestError, _ record: SessionRecord) -> Never? {
        trace(record)?.refused(error.name.description, record)
        return nil
    }

    func compare(_ record: SessionRecord) -> Never? {
        trace(record)?.compare(record)
        return nil
    }

    func producedNothing(_ record: SessionRecord) -> Never? {
        _ = driver.runTimers(before: record, self)
        guard let trace = trace(record) else { return nil }
        switch record.body {
        // An event whose arguments were truncated in the journal cannot be sent again.
        case .refusal(let refusal) where refusal.omittedBytes == 0: send(refusal, record, trace)
        case .quarantineGivenUp: giveUp(record, trace)
        default: break
        }
        return nil
    }

    /// The trace of the record's session; nil if that session is not being replayed.
    private func trace(_ record: SessionRecord) -> SessionTrace? {
        record.session.flatMap { currentTraces[$0] }
    }

    /// Sends a refused event again, because the changed flow may accept it. Skips events of timers, which
    /// were not sent from outside, and refusals that do not depend on the flow.
    private func send(
        _ refusal: RefusedEvent, _ record: SessionRecord, _ trace: SessionTrace
    ) {
        let (event, source, why) = (refusal.event, refusal.source, refusal.error.name)
        guard trace.difference == nil, source.kind != .timer, why != "stale", why != "storage",
            why != "forbidden", let session = try? driver.sessions.session(trace.session)
        else { return }
        trace.expectNothing(before: record)
        let newestBefore = trace.newestReplayed
        guard
            (try? driver.sessions.send(
                event.name, event.arguments, to: session, RequestContext(from: source))) != nil,
            trace.newestReplayed != newestBefore
        else { return }
        trace.accepted(why, record)
    }

    /// Ends a session that was quarantined in the recording and then given up, whatever state the replay has reached.
    private func giveUp(_ record: SessionRecord, _ trace: SessionTrace) {
        if let session = try? driver.sessions.session(trace.session) {
            _ = try? driver.sessions.close(session, RequestContext(from: .program))
        }
        trace.quarantined("it was given up in the recording", at: record.at)
    }
}

extension Duration {
    /// Minus one second, added to the instant up to which the replay fires timers by itself. On the real clock a timer fires
    /// late. So a timer that was due in the last second before that instant may not have fired in the recording.
    fileprivate static let lateTimerMargin = Duration.seconds(-1)
}
