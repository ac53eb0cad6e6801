package import Durability
package import EventLoop
package import Journal
import Sessions
import Support
import Timers

/// The periodic work on a journal. Writes the high-water mark, and removes old rows. Each second, allows the sessions to record
/// refusals again, up to a number of bytes.
///
/// Removing goes in rounds: each round examines all rows that are old enough, in steps with pauses between them.
package final class JournalRetention {
    private let store: any Store
    /// Writes the sessions' rows to `store`. This work has priority over the work on old rows.
    private let groupCommit: GroupCommit
    private let loop: LibeventLoop
    private let retention: Retention
    /// Writes the high-water mark.
    private var markTimer = Ticker()
    /// Renews the limit of recorded refusals each second. The limit is a number of bytes per second.
    private var auditTimer = Ticker()
    /// The report of the round that runs; nil between two rounds.
    private var round: PruneReport?
    /// Who waits for the end of the round that runs.
    private var roundCallbacks: [(Result<PruneReport, StoreError>) -> Void] = []
    /// Executes the next step of a round, or begins the next round.
    private var pruneTimer = Alarm()

    /// Whether no rows are removed until the operator allows it, because the clock may be wrong.
    private var isHeld: Bool
    private let schedule: RetentionSchedule
    /// The number of completed rounds over all old rows.
    package private(set) var rounds = 0

    /// The intervals and amounts of the periodic work.
    package struct RetentionSchedule {
        /// The interval between two high-water marks. If the daemon is killed, the next start knows the time of the kill only
        /// from the newest mark or row. The mark can be up to two intervals old.
        var markInterval = Duration.milliseconds(500)
        /// The maximum number of rows that a step examines.
        package var rowsPerStep = 1000
        /// The pause between two steps, in which the journal is free for other work.
        package var stepPause = Duration.milliseconds(50)
        /// The pause between two rounds.
        var roundPause = Duration.seconds(3600)
        /// The pause before the first round after the start.
        package var firstPause = Duration.seconds(1)
        /// The maximum number of times that a step is postponed because rows wait to be written.
        var maxPostponements = 20
    }

    /// How many more times the next step may be postponed.
    private var postponementsLeft = 0

    /// Starts the timers, unless the store keeps no rows. With `isHeld`, rows are removed only after `removeOldRows`.
    package init(
        _ store: any Store, _ groupCommit: GroupCommit, on loop: LibeventLoop,
        keeping retention: Retention,
        isHeld: Bool = false, schedule: RetentionSchedule = RetentionSchedule()
    ) {
        self.isHeld = isHeld
        (self.store, self.groupCommit, self.loop) = (store, groupCommit, loop)
        self.retention = retention
        self.schedule = schedule
        guard store.keepsRows else { return }
        markTimer.start(on: loop, schedule.markInterval) { [unowned self] _ in mark() }
        auditTimer.start(on: loop, .seconds(1)) { [groupCommit] _ in
            groupCommit.sessions.renewAuditLimits()
        }
        if retention != .forever, !isHeld { wait(schedule.firstPause) { $0.beginRound() } }
    }

    /// Ends the work, and writes a final mark.
    package func end() {
        stop()
        mark()
    }

    /// Whether the work has ended.
    package var hasEnded: Bool { !markTimer.isRunning }

    /// Ends the work without writing a mark.
    package func stop() {
        markTimer.stop()
        auditTimer.stop()
        pruneTimer.stop()
        endRound(.failure(Self.endError))
    }

    /// Writes a high-water mark with the present time. `fireDueTimers` reads the clock; without this call, `sessions.now` could
    /// still be the time of the previous mark. No timers may fire while this process may not act as the owner of the store. The
    /// mark then has the time at which the clock was last read.
    private func mark() {
        let sessions = groupCommit.sessions
        if groupCommit.mayServe() { sessions.clock.fireDueTimers() }
        store.mark(
            HighWaterMark(
                position: sessions.durableRow, atNs: sessions.now.nanoseconds))
    }

    /// Calls `work` after a pause. If an earlier call still waits for its pause, this call replaces it.
    private func wait(_ time: Duration, _ work: @escaping (JournalRetention) -> Void) {
        pruneTimer.set(on: loop, time) { [unowned self] in work(self) }
    }

    // MARK: old rows

    /// Allows the removal of old rows if it was held, and removes them now. If a round runs already, its report is the answer.
    /// Calls `done` when the round is complete or has failed.
    package func removeOldRows(_ done: @escaping (Result<PruneReport, StoreError>) -> Void) {
        guard !hasEnded else { return done(.failure(Self.endError)) }
        let wasHeld = isHeld
        if isHeld {
            isHeld = false
            store.removeNote(StateDirectory.heldNote)
        }
        roundCallbacks.append {
            done(
                $0.map { report in
                    var report = report
                    report.wasHeld = wasHeld
                    return report
                })
        }
        if round == nil { beginRound() }
    }

    /// Begins a round over all old rows.
    private func beginRound() {
        round = PruneReport()
        prune(after: 0)
    }

    /// Ends the round that runs, and tells its report, or the failure, to all who wait for it.
    private func endRound(_ result: Result<Void, StoreError>) {
        guard let report = exchange(&round, with: nil) else { return }
        if case .success = result { rounds += 1 }
        for done in exchange(&roundCallbacks, with: []) { done(result.map { report }) }
    }

    /// The answer to those who wait for a round when the work ends.
    private static let endError = StoreError(
        .unavailable, why: "the work on this journal ended before all old rows were examined")

    /// Executes one step of a round. Examines the rows after a position, and removes rows that are old enough and no longer
    /// needed. A round begins with position 0.
    private func prune(after position: Int) {
        guard let cutoff = retention.cutoff(at: groupCommit.sessions.now) else {
            return endRound(.success(()))
        }
        // While rows wait to be written, the step is postponed, but only a limited number of times.
        guard groupCommit.isIdle || postponementsLeft == 0 else {
            postponementsLeft -= 1
            return wait(schedule.stepPause) { $0.prune(after: position) }
        }
        postponementsLeft = schedule.maxPostponements
        // Schedules the next round. If the present round has a further step, `continueRound` replaces this timer.
        wait(schedule.roundPause) { $0.beginRound() }
        store.pruneCandidates(
            after: position, recordedBefore: cutoff.nanoseconds, limit: schedule.rowsPerStep
        ) {
            [weak self] in
            switch $0 {
            case .success(let candidates): self?.prune(candidates)
            // If the store fails, this round ends. The timer for the next round is set already.
            case .failure(let error): self?.endRound(.failure(error))
            }
        }
    }

    /// Removes the old rows that no session needs, and schedules the next step. Without rows the round is complete.
    private func prune(_ candidates: [PruneCandidate]) {
        // No step follows if the work has ended meanwhile.
        guard round != nil else { return }
        guard let last = candidates.last else { return endRound(.success(())) }
        let removable = candidates.filter { !countIfNeeded($0) }.map(\.position)
        let continueRound = { [weak self] in
            guard let self, round != nil else { return }
            round?.removed += removable.count
            wait(schedule.stepPause) { $0.prune(after: last.position) }
        }
        if removable.isEmpty { return continueRound() }
        store.prune(removable) { [weak self] in
            switch $0 {
            case .success: continueRound()
            case .failure(let error): self?.endRound(.failure(error))
            }
        }
    }

    /// Returns whether an old row is still needed, and counts it in the report if so.
    private func countIfNeeded(_ candidate: PruneCandidate) -> Bool {
        guard let name = SessionName(candidate.session) else {
            // A row without a session's name is a row of the daemon itself. The rows that record a start of the daemon, the text
            // of a flow file or a correction of the clock are always kept.
            let isKept = [SessionRecord.startSeq, SessionRecord.textSeq, SessionRecord.clockSeq]
                .contains(candidate.seq)
            if isKept { round?.ofDaemon += 1 }
            return isKept
        }
        let sessions = groupCommit.sessions
        // `idNumber` is the number of the row's request id: a restart needs the rows of a session's newest ids.
        guard sessions.needs(candidate.position, of: name, idNumber: candidate.idNumber) else {
            return false
        }
        if sessions.quarantine(of: name) == nil {
            round?.ofOpenSessions += 1
        } else {
            round?.ofQuarantinedSessions += 1
        }
        return true
    }
}
