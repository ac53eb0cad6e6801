public import GameFlow
public import Support
public import Timers

/// The reason for which a session cannot be restored.
struct RestoreError: DescribedError { let why: String }

/// Restoring sessions from the journal.
extension Sessions {
    /// A session that could not be restored, and the reason. The other sessions are restored nevertheless.
    public struct QuarantineError: DescribedError, Equatable, Sendable {
        public let session: SessionName
        public let why: String
        /// The name of the session's flow; nil if no row could be read that names it.
        public var flow: String?

        public init(session: SessionName, why: String, flow: String? = nil) {
            (self.session, self.why, self.flow) = (session, why, flow)
        }
    }

    /// The content of the journal from which the sessions are restored.
    public struct JournalContent {
        /// The newest rows of the sessions.
        public var sessions = RecordedSessions()
        /// The rows of requests with an id, in order; for each session only the rows since its newest opening.
        public var answers: [SessionRecord] = []
        /// The sessions with damaged rows, each with a description of the damage.
        public var damaged: [QuarantineError] = []
        /// The texts of flows, each with the flow's name.
        public var flowTexts: [(name: String, source: FlowSource)] = []
        /// The daemon's starts.
        public var starts = Starts()
        public var clockCorrections = ClockCorrections()
        /// The position of the daemon's own newest row.
        public var daemon = JournalPosition.start
        /// The position of the newest row of the journal.
        public var newest = JournalPosition.start
        /// The `pos` of the newest change.
        public var pos = 0

        public init() {}
    }

    /// Restores the sessions; must be called before any other method. Returns the sessions that could not be
    /// restored.
    ///
    /// `lastAlive` is the last instant at which the daemon is known to have run. `wasRunning` is true if another node has
    /// handed the sessions over. In this case, all timers that were due by `lastAlive` have fired. Every timer then continues
    /// without a pause, whatever its restart policy is. `onProgress` is called after each session with the number of sessions
    /// that were processed. Watchers receive nothing. No timer fires before `fireDueTimers` is called on the clock.
    public func restore(
        _ content: JournalContent, lastAlive: Instant, wasRunning: Bool = false,
        onProgress: (Int) -> Void = { _ in }
    ) -> [QuarantineError] {
        precondition(count == 0 && pos == 0, "restore is called before any other method")
        for text in content.flowTexts { addRecordedText(text.source, of: text.name) }
        var quarantined = content.damaged
        let damaged = Set(quarantined.map(\.session))
        // The flows of damaged sessions whose newest row can be read.
        var damagedFlows: [SessionName: String] = [:]
        var unrestorable: [QuarantineError] = []
        timerQueue.reserve(content.sessions.count)
        var restored = RestoredSessions(content, lastAlive: lastAlive, wasRunning: wasRunning)
        var processedCount = 0
        func reportProgress() {
            processedCount += 1
            onProgress(processedCount)
        }
        content.sessions.forEach { row in
            defer { reportProgress() }
            guard let name = row.record.session else { return }
            guard !damaged.contains(name) else {
                damagedFlows[name] = row.record.status?.flow
                return
            }
            do throws(QuarantineError) {
                try restored.restore(row, name, in: self)
            } catch { unrestorable.append(error) }
        } unreadable: { error in
            defer { reportProgress() }
            if !damaged.contains(error.session) { quarantined.append(error) }
        }
        quarantined += unrestorable
        index = SessionIndex(restored.sessions)
        let newestPos = restored.pos
        for index in quarantined.indices where quarantined[index].flow == nil {
            quarantined[index].flow = damagedFlows[quarantined[index].session]
        }
        for error in quarantined { recording.quarantine[error.session] = error }
        startRing(at: newestPos + 1)
        recording.durableAt = now
        (recording.newestRow, recording.durableRow) = (
            content.newest.position, content.newest.position
        )
        recording.durablePos = newestPos
        (recording.daemonRow, recording.durableDaemonRow) = (content.daemon, content.daemon)
        recording.starts = content.starts
        clockCorrections.replace(with: content.clockCorrections)
        RestoredTimer.set(restored.timers, on: timerQueue, queueIsEmpty: true)
        if clock.isReal { keepDates(withLead: timerQueue.wallClock.lead) }
        rememberIDs(of: content.answers)
        return quarantined
    }

    /// Returns a sentence that explains why a flow does not accept a recorded state.
    static func sentence(_ refusal: Reason, about place: StateRecord) -> String {
        let state = place.state
        switch refusal.code {
        case .unknownState: return "the flow has no state \(state)"
        case .invalid:
            let (name, why) = (refusal.subject, refusal.why)
            guard let value = place.data[name] else { fallthrough }
            return "its state `\(state)` has \(name)=\(value), and the flow refuses it: \(why)"
        default: return "the flow rejects its state `\(state)`: \(refusal.sentence)"
        }
    }

    /// Adds recorded answers to the idempotency cache. Of a closed session, only the answer to its closing is
    /// added. A session with more ids than were recorded has lost the answers before the oldest recorded one.
    private func rememberIDs(of records: [SessionRecord]) {
        var restored: [SessionName: (count: Int, oldest: Instant)] = [:]
        for record in records {
            guard let id = record.id, let name = record.session,
                let answer = record.answer(view: index[name]?.flow.clientView),
                index[name] != nil || answer.kind == .close
            else { continue }
            idempotencyCache.remember(
                recordedAnswer(answer, record), as: id, of: name, rowNumber: record.position ?? 0,
                at: record.at, now: now)
            let earlier = restored[name]
            restored[name] = ((earlier?.count ?? 0) + 1, earlier?.oldest ?? record.at)
        }
        for session in all {
            let known = restored[session.name]
            guard session.newestCheckpoint.requestIDCount > known?.count ?? 0 else { continue }
            idempotencyCache.lose(session.name, upTo: known?.oldest ?? now)
        }
    }

    /// Returns the answer to a recorded request. The answer to some requests is a session, to others a change.
    private func recordedAnswer(_ answer: Change, _ record: SessionRecord) -> CachedAnswer {
        let status = answer.kind.has(.answersWithStatus) ? record.status : nil
        return CachedAnswer(change: answer, content: status.map { .recorded($0) } ?? .change)
    }

    /// Adds the text of a version of a flow that the journal contains.
    package func addRecordedText(_ source: FlowSource, of name: String) {
        catalog.addRecorded(source, of: name)
        recording.recordedTexts.insert(.init(flow: name, version: source.version))
    }

    /// Skips the numbers of erased changes: the next change gets the number after `pos`.
    public func skipNumbers(upTo pos: Int) {
        ring.skip(upTo: pos)
        undoEntries.skip(upTo: pos)
    }

    // MARK: quarantine

    /// The error for a request about a quarantined session; `why` is the reason of the quarantine.
    func quarantineError(_ name: SessionName, _ why: String) -> RequestError {
        .storage(
            why: "\(name.text) could not be restored after the restart: \(why); "
                + "`gamectl close @\(name.text)` discards it", outcome: .undone)
    }

    /// The number of sessions that could not be restored and were not given up.
    public var quarantinedCount: Int { recording.quarantine.count }

    /// Returns the reason of a session's quarantine; nil if it is not quarantined.
    public func quarantine(of name: SessionName) -> String? { recording.quarantine[name]?.why }

    /// The numbers of quarantined sessions by their flow; the sessions whose flow is not known have the key nil.
    public var quarantinedCountsByFlow: [String?: Int] {
        recording.quarantine.values.reduce(into: [:]) { $0[$1.flow, default: 0] += 1 }
    }

    /// Gives up a quarantined session. Its name may be used again; its rows are kept.
    public func closeQuarantined(_ name: SessionName, from source: Source) throws(RequestError) {
        guard let error = recording.quarantine[name] else { return }
        if let outage { throw outageError(outage) }
        recording.quarantine[name] = nil
        guard let recorder else { return }
        // Like an opening, the row begins a new chain of rows and has the `seq` 1: the damaged rows cannot be continued.
        let record = SessionRecord(
            .quarantineGivenUp(why: error.why, source: source), session: name, seq: 1,
            at: now, pos: pos)
        let newRow = recorder(record, .start)
        recording.newestRow = newRow.position
        recording.pending.append(
            PendingRow(.quarantineEnd(error), newRow, at: now))
    }
}

extension Sessions {
    /// A session that could not be restored at the next restart. Its flow refuses to enter the session's present state with the
    /// present data, which is a fault of the flow.
    public struct UnrestorableSession: Equatable, Sendable {
        public let session: SessionName
        public let flow: String
        /// The state and its data.
        public let place: StateRecord
        public let why: Reason

        /// The sentence for the log.
        public var sentence: String {
            "session \(session.text) would be lost at a restart: flow \(flow) refuses to enter "
                + "\(place.state) with \(Value.object(place.data)): \(why.sentence)"
        }
    }

    /// Calls `reportUnrestorable` if the session could not be restored in its state after `change`. Checks nothing if
    /// `reportUnrestorable` is nil.
    func checkRestoring(_ session: Session, after change: Change) {
        guard let reportUnrestorable, change.kind.has(.changesState),
            let place = change.step.to, let why = session.flow.obstacle(toRestoring: place)
        else { return }
        reportUnrestorable(
            UnrestorableSession(
                session: session.name, flow: session.flow.name, place: place, why: why))
    }
}

/// The sessions that were restored so far. These sessions are not in the index yet, and their timers are not set yet.
struct RestoredSessions {
    private(set) var sessions: [Session] = []
    private(set) var timers: [RestoredTimer] = []
    /// The `pos` of the newest change.
    private(set) var pos: Int
    private let starts: Starts
    private let lastAlive: Instant
    private let wasRunning: Bool

    init(_ content: Sessions.JournalContent, lastAlive: Instant, wasRunning: Bool) {
        (pos, starts, self.lastAlive) = (content.pos, content.starts, lastAlive)
        self.wasRunning = wasRunning
        sessions.reserveCapacity(content.sessions.count)
        timers.reserveCapacity(content.sessions.count)
    }

    /// Restores the session `name` from its row, unless the session is closed.
    mutating func restore(
        _ row: borrowing RecordedSession, _ name: SessionName, in sessions: Sessions
    )
        throws(Sessions.QuarantineError)
    {
        pos = max(pos, row.record.pos)
        guard let status = row.record.status, !row.record.isClosing else { return }
        do throws(RestoreError) {
            // Only the session's last row of a call has a snapshot. If this row has none, the later rows of its call were lost.
            guard let snapshot = status.machine else {
                throw RestoreError(why: "its last rows are missing")
            }
            let flow = try sessions.catalog.flow(of: status)
            // A `Downtime` says when the timers of the restored session did not run. If another node has handed the sessions
            // over, the timers ran all the time, and continue from `lastAlive`.
            let restarts = starts.restarts(after: row.record.position ?? row.newestRow.position)
            let downtime =
                wasRunning
                ? Downtime(
                    since: lastAlive, pendulums: [:], earlierDowntime: restarts.earlierDowntime,
                    restartedAt: restarts.lastInstant, snapshotAt: row.record.at)
                : Downtime(
                    lastAlive: lastAlive, earlierDowntime: restarts.earlierDowntime,
                    restartedAt: restarts.lastInstant, snapshotAt: row.record.at)
            let session = Session(name, flow, in: sessions, openedAt: status.openedAt)
            let chance = sessions.chance(for: snapshot, of: name, flow, openedAt: row.record.pos)
            try session.restore(row, snapshot.with(chance), downtime, adding: &timers)
            self.sessions.append(session)
        } catch {
            throw Sessions.QuarantineError(
                session: name, why: error.why, flow: status.flow)
        }
    }
}

/// The recorded values from which a session is restored. These are the record of the session's newest row with the whole state,
/// and the positions of the session's newest row and first row.
public struct RecordedSession: Sendable {
    public let record: SessionRecord
    public let newestRow: JournalPosition
    /// The position of the session's first row.
    public let firstRow: Int

    public init(_ record: SessionRecord, _ newestRow: JournalPosition, firstRow: Int = 0) {
        (self.record, self.newestRow, self.firstRow) = (record, newestRow, firstRow)
    }
}

/// The list of the `RecordedSession`s of a journal, in the order of their rows. The list includes closed sessions. A row is
/// decoded only when it is reached, because a million decoded records would take a gigabyte. The list can be read only once,
/// because reading it releases the memory of the rows.
public struct RecordedSessions {
    /// A function that reads all sessions. It calls `process` with each session, and `unreadable` for each row that cannot be
    /// read. The function takes two closures, because a value of an enum with both cases would be copied several times.
    public typealias Walk = (
        _ process: (borrowing RecordedSession) -> Void,
        _ unreadable: (Sessions.QuarantineError) -> Void
    ) -> Void

    /// The number of sessions.
    public let count: Int
    private let walk: Walk

    /// Creates a list of `count` sessions, which `walk` reads.
    public init(count: Int, _ walk: @escaping Walk) { (self.count, self.walk) = (count, walk) }

    /// Creates an empty list.
    public init() { self.init(count: 0) { _, _ in } }

    /// Reads the sessions one after the other. Calls a closure for each session and for each row that cannot be read, as `Walk`
    /// describes. Must be called only once.
    public func forEach(
        _ process: (borrowing RecordedSession) -> Void,
        unreadable: (Sessions.QuarantineError) -> Void
    ) { walk(process, unreadable) }

    /// Returns a list of the values that `transform` returns for the sessions of this list.
    public func changed(by transform: @escaping (borrowing RecordedSession) -> RecordedSession)
        -> RecordedSessions
    {
        let walk = walk
        return RecordedSessions(count: count) { process, unreadable in
            walk({ process(transform($0)) }, unreadable)
        }
    }
}
