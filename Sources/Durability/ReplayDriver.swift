internal import GameFlow
internal import Journal
internal import Sessions
internal import Support
internal import Timers

/// Executes a journal again: starts the daemon at the recorded times, advances time, fires the recorded timers, and repeats the
/// inputs from outside. `JournalReplay` and `CounterfactualReplay` pass the rows to this object one by one. As the
/// `ReplayPolicy` of this object, they decide what to do with the resulting records.
final class ReplayDriver {
    /// The flows that the replayed sessions play.
    private let catalog: FlowCatalog
    /// The position up to which rows of the recorded journal were removed.
    private let pruned: Int
    /// The clock of the replayed daemon.
    private var clock = ReplayClock()
    /// The sessions of the replayed daemon; a restart replaces them.
    private(set) var sessions: Sessions
    /// The rows that a restart restores from.
    var reading: JournalReading
    /// The sessions whose first rows were removed and whose rows so far are only refusals.
    private var sessionsWithoutOpening: Set<String> = []
    /// The sessions that were open when the replay continued from rows, although the recorded daemon was not restarted, each with
    /// the number (`seq`) of its newest change then.
    private var lostHistory: [SessionName: Int] = [:]
    /// Whether the recorded virtual clock stopped before all due timers had fired. Then `run(until:)` fires no timer: those
    /// that did fire have rows of their own, or were fired by `advance`.
    private var isCutShort = false
    /// The number of timers that fired since the most recent advance, without those that were due at a request: these fired with
    /// the request.
    private var firingCount = 0
    /// The instant of the newest request since the most recent advance; before all deadlines if there was none.
    private var newestRequest = noRequest
    private static let noRequest = Instant(nanoseconds: .min)
    /// The limits of the replayed daemon. What a journal says was undone could be undone, so these limits of an undo are higher:
    /// an older daemon counted the steps of a session in another way.
    private static let limits: Limits = {
        var limits = Limits()
        limits.undoStepsPerSession = .max
        (limits.ring, limits.undoChanges) = (4 * limits.ring, 4 * limits.undoChanges)
        return limits
    }()
    /// Called with each resulting record and the position of its session's previous row; returns the position of the record's
    /// row.
    var recorder: (SessionRecord, JournalPosition) -> JournalPosition = { $1 } {
        didSet { sessions.recorder = recorder }
    }

    /// Prepares to execute a journal whose rows up to `pruned` were removed. A restart restores the sessions from the rows that
    /// were added to `reading`. The rows up to `restartPruned` were removed from the journal of these rows.
    init(_ catalog: FlowCatalog, prunedUpTo pruned: Int, restartPruned: Int) {
        (self.catalog, self.pruned) = (catalog, pruned)
        sessions = Sessions(catalog, on: clock, limits: Self.limits)
        reading = JournalReading(prunedUpTo: restartPruned, answerLimit: sessions.limits.ids)
    }

    /// Executes what a record describes. `cause` is what caused the record; a replay with another flow passes another request
    /// than the record has. Returns the value with which `policy` stopped the execution; nil if the execution was not stopped.
    func run<Policy: ReplayPolicy>(
        _ cause: SessionRecord.Cause, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        switch cause {
        case .request(let request, let change):
            if let stop = runTimers(before: record, policy) ?? policy.willPerform(record) {
                return stop
            }
            newestRequest = record.at
            do throws(RequestError) {
                try sessions.perform(request, of: change, id: record.id)
            } catch {
                return policy.refused(error, record)
            }
            return policy.compare(record)
        case .firing(let signal, let missed): return fire(signal, missed, record, policy)
        case .consequence: return policy.compare(record)
        case .other: return run(record, policy)
        }
    }

    /// Executes a record of the daemon itself, or of a session that was not changed.
    private func run<Policy: ReplayPolicy>(_ record: SessionRecord, _ policy: Policy)
        -> Policy.Stop?
    {
        switch record.body {
        case .start(let start): return policy.start(start, record)
        case .advance(let advance):
            return self.advance(advance, record, policy)
        case .refusal, .quarantineGivenUp: return policy.producedNothing(record)
        case .flowText(let name, let source):
            sessions.addRecordedText(source, of: name)
            return nil
        case .clock(let correction):
            sessions.keepDates(withLead: correction)
            return nil
        case .change, .rest, .forgotten, .deliveries: return nil
        }
    }

    // MARK: restarts

    /// Restarts the daemon at the instant `now` from the rows in `reading`. `lastAlive` is the last instant at which the daemon
    /// ran before; `wasRunning` is true if the timers did not stand still in between, as in a hand-over. Returns the sessions
    /// that could not be restored.
    func restart(at now: Instant, lastAlive: Instant, wasRunning: Bool = false)
        -> [Sessions.QuarantineError]
    {
        sessions.endMachines()
        lostHistory = [:]
        (clock, firingCount, newestRequest) = (ReplayClock(startingAt: now), 0, Self.noRequest)
        sessions = Sessions(catalog, on: clock, limits: Self.limits)
        let lost = sessions.restore(
            reading.content(), lastAlive: lastAlive, wasRunning: wasRunning)
        sessions.recorder = recorder
        return lost
    }

    /// Continues after a time in which the recorded process did not run: the sessions stay, and their timers follow their
    /// declarations. `record` is the record of `start`.
    func continueAfterStandstill<Policy: ReplayPolicy>(
        _ start: SessionRecord.Start, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        if let stop = run(until: start.lastAlive, before: record, policy) { return stop }
        clock.move(to: start.now)
        sessions.continueTimers(stoppedSince: start.lastAlive)
        return nil
    }

    /// Continues all sessions from their rows in `reading`. The newest of these rows is that of `record`. The recorded daemon ran on,
    /// and could undo earlier steps.
    func continueFromRows(_ record: SessionRecord) {
        _ = restart(at: record.at, lastAlive: record.at, wasRunning: true)
        for session in sessions.all { lostHistory[session.name] = session.seq }
    }

    /// Whether the change took back steps of whose rows the replay has not executed all.
    func isUndoOfLostHistory(_ change: Change) -> Bool {
        guard let undone = change.undone, let known = lostHistory[change.session],
            let session = try? sessions.session(change.session), session.isRestored
        else { return false }
        return undone.lowerBound <= known
    }

    /// Whether rows of the session are missing, and its rows since then are only refusals.
    func lacksState(_ session: String) -> Bool { sessionsWithoutOpening.contains(session) }

    /// Call this if the row's session does not exist in the replay, or has other rows before this one. Returns whether the session
    /// can begin with the row, because the session's earlier rows were removed. If the row is a refusal, which does not contain the
    /// state, the session begins with a later row.
    func beginsInMiddle(with row: JournalRow) -> Bool {
        let isCut = row.previous != .start && row.previous.position <= pruned
        guard isCut || sessionsWithoutOpening.contains(row.session) else { return false }
        guard row.kind != .refusal else {
            sessionsWithoutOpening.insert(row.session)
            return false
        }
        sessionsWithoutOpening.remove(row.session)
        return true
    }

    // MARK: time

    /// Fires the next timer at an instant.
    private func fireNext(at instant: Instant) {
        let deadline = clock.next?.deadline ?? instant
        if deadline > newestRequest { firingCount += 1 }
        clock.fireNext(at: instant)
    }

    /// Fires every timer that is due by an instant, each at its deadline. `record` is the record that is executed next.
    func run<Policy: ReplayPolicy>(
        until instant: Instant, before record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        while !isCutShort, let next = clock.next, next.deadline <= instant {
            fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        if !isCutShort { clock.move(to: instant) }
        return nil
    }

    /// Fires the timers that fired before the request that `record` is of, and moves the clock to its instant.
    ///
    /// A timer that is due at that instant may have fired after the request: if a firing has sent the event to a linked session, if
    /// the event waited in a window that ended before the firing, or if the timer was set without a duration. Only the order of the
    /// rows shows this. So a timer that will have a row of its own waits for that row, and so do the timers behind it. If the row is
    /// missing, a later row shows it: the timer fires as soon as time has moved on.
    func runTimers<Policy: ReplayPolicy>(before record: SessionRecord, _ policy: Policy)
        -> Policy.Stop?
    {
        let earlier = clock.now
        if earlier < record.at, let stop = run(until: earlier, before: record, policy) {
            return stop
        }
        var beats = BeatCounts(sessions, until: record.at)
        while !isCutShort, let next = clock.next, next.deadline <= record.at {
            if policy.mayWaitForRow(next),
                !beats.take(next) || hasYetToFire(next, after: record)
            {
                break
            }
            fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        if !isCutShort { clock.move(to: record.at) }
        return nil
    }

    /// Whether a record of the timer's session shows that the timer has not fired yet.
    private func hasYetToFire(_ next: ReplayClock.NextTimer, after record: SessionRecord) -> Bool {
        guard let name = next.session, name == record.session, let status = record.status,
            let timers = status.machine?.timers, let session = try? sessions.session(name),
            status.entry == session.entry
        else { return false }
        return timers.contains {
            $0.fires == next.signal && $0.state == .running(until: next.deadline)
        }
    }

    /// Advances the clock. If the recorded clock stopped before all timers that were due had fired, the number of firings says which
    /// of them did: the beats at the last instant have no rows.
    private func advance<Policy: ReplayPolicy>(
        _ advance: SessionRecord.ClockAdvance, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        isCutShort = false
        let instant = advance.now
        let firingEnd = advance.isCutShort ? instant + Duration.nanoseconds(-1) : instant
        if let stop = run(until: firingEnd, before: record, policy) { return stop }
        while advance.isCutShort, firingCount < advance.fired, let next = clock.next,
            next.deadline <= instant
        {
            fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        clock.move(to: instant)
        (isCutShort, firingCount, newestRequest) = (advance.isCutShort, 0, Self.noRequest)
        return nil
    }

    /// Fires the recorded timer; `missed` is the recorded number of missed periods. A timer with the recorded deadline fires at
    /// the recorded instant, which on the real clock is slightly after the deadline. Any other timer fires at its own deadline.
    ///
    /// If the session has no timer with the signal, the firing itself changed nothing and posted this event.
    private func fire<Policy: ReplayPolicy>(
        _ signal: String, _ missed: Int, _ record: SessionRecord, _ policy: Policy
    ) -> Policy.Stop? {
        isCutShort = false
        let hasSameDeadline = policy.hasSameDeadline(signal, record)
        let isPosted = isPosted(signal, by: record.session)
        var beats = BeatCounts(sessions, until: record.at)
        while let next = clock.next, next.deadline <= record.at {
            // If the deadline differs, the timers fire at their own deadlines, until no timer of this session is due.
            let isRecorded =
                if isPosted {
                    next.session == record.session && !beats.take(next)
                        && policy.hasSameDeadline(next.signal, record)
                } else {
                    hasSameDeadline && next.matches(record.session, signal, missed, at: record.at)
                }
            if isRecorded {
                skipMissedBeats(of: next.signal, before: record)
                fireNext(at: record.at)
                return policy.compare(record)
            }
            if !hasSameDeadline, !isDue(record.session, by: record.at) { break }
            fireNext(at: next.deadline)
            if let stop = policy.timerFired(before: record) { return stop }
        }
        return policy.timerIsNotDue(signal, record)
    }

    /// Whether a timer's firing has posted an event of this name, because no timer of the session has such a signal.
    private func isPosted(_ event: String, by name: SessionName?) -> Bool {
        guard let name, let session = try? sessions.session(name) else { return false }
        return session.machine.timer(event) == nil
            && session.flow.events.contains { $0.name.hasSameBytes(as: event) }
    }

    /// Skips the beats that the session's other pendulums missed while the daemon stood still until the recorded instant. The
    /// daemon then fired each overdue pendulum once, before the timer with the signal `signal`.
    private func skipMissedBeats(of signal: String, before record: SessionRecord) {
        guard let name = record.session, let session = try? sessions.session(name),
            let status = record.status, status.entry == session.entry
        else { return }
        for timer in status.machine?.timers ?? [] {
            guard timer.fires != signal, case .running(let until) = timer.state,
                let live = session.machine.timer(timer.fires), live.info.isPendulum,
                let due = live.info.deadline, due <= record.at, until > due,
                live.info.total > .zero,
                (until - due).nanoseconds % live.info.total.nanoseconds == 0
            else { continue }
            clock.timerQueue.skip(live.id, to: until)
        }
    }

    /// Whether any timer of the session is due by an instant.
    private func isDue(_ name: SessionName?, by instant: Instant) -> Bool {
        guard let name, let session = try? sessions.session(name) else { return false }
        return session.machine.liveTimers.contains { timer in
            timer.info.deadline.map { $0 <= instant } ?? false
        }
    }
}

/// Decides what happens with the records of a replay.
///
/// If a method returns a value, the driver stops executing the present row and returns that value.
protocol ReplayPolicy: AnyObject {
    /// The type of the values that stop the execution of a row; `Never` if nothing stops it.
    associatedtype Stop

    /// The daemon started, another daemon has taken its sessions over, or it ran again after a standstill. `record` is the
    /// record of the start.
    func start(_ start: SessionRecord.Start, _ record: SessionRecord) -> Stop?
    /// A timer fired at its own deadline, before a recorded row.
    func timerFired(before record: SessionRecord) -> Stop?
    /// Whether a timer that is due when a request is executed may have fired after the request, so that its row comes later.
    func mayWaitForRow(_ timer: ReplayClock.NextTimer) -> Bool
    /// Whether the timer of a recorded firing has the same deadline as in the recording.
    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool
    /// The timer of a recorded firing is not due in the replay.
    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Stop?
    /// An input from outside is about to be executed.
    func willPerform(_ record: SessionRecord) -> Stop?
    /// An input from outside was refused in the replay.
    func refused(_ error: RequestError, _ record: SessionRecord) -> Stop?
    /// The replay has executed what the recorded record describes. The replay's next record should be equal to the recorded
    /// record.
    func compare(_ record: SessionRecord) -> Stop?
    /// The recorded record describes a refused event or a given-up session, for which the replay makes no record.
    func producedNothing(_ record: SessionRecord) -> Stop?
}

extension ReplayClock.NextTimer {
    /// The session that the timer belongs to.
    var session: SessionName? {
        ((owner as? AnyMachine)?.observer as? Session)?.name
    }

    /// The timer's signal; empty if the timer belongs to no session.
    var signal: String { (owner as? AnyMachine)?.flow.signalName(tag) ?? "" }

    /// Whether this is the session's timer with that signal. For a pendulum, also whether it has missed `missed` periods if it
    /// fires at `instant`.
    func matches(_ name: SessionName?, _ signal: String, _ missed: Int, at instant: Instant) -> Bool
    {
        guard session == name, let machine = owner as? AnyMachine,
            machine.flow.signalName(tag) == signal
        else { return false }
        // A countdown has no period, and misses none.
        guard let period else { return true }
        return (instant - deadline).nanoseconds / period.nanoseconds == Int64(missed)
    }
}

/// Which of the next firings of the sessions' timers are beats, which have no rows. A machine is tried once for all its firings.
private struct BeatCounts {
    private let sessions: Sessions
    private let end: Instant
    /// For each machine: how many firings are beats before the next one that makes a record.
    private var counts: [ObjectIdentifier: Int] = [:]

    /// Prepares to count the beats that are due by `end`.
    init(_ sessions: Sessions, until end: Instant) { (self.sessions, self.end) = (sessions, end) }

    /// Whether the firing of the next timer is a beat. If it is one, the timer must be fired then.
    mutating func take(_ next: ReplayClock.NextTimer) -> Bool {
        // The firing of a countdown always has a row.
        guard next.period != nil, let machine = next.owner as? AnyMachine else { return false }
        let count =
            counts[ObjectIdentifier(machine)] ?? sessions.beatCount(of: machine, until: end)
        counts[ObjectIdentifier(machine)] = count - 1
        return count > 0
    }
}
