import Durability
import EventLoop
import Journal
import Sessions
import Support
import Timers

/// The periodic work on a journal. Writes the high-water mark, and removes old rows. Each second, allows the sessions to record
/// refusals again, up to a number of bytes.
///
/// Removing goes in rounds: each round examines all rows that are old enough, in steps with pauses between them.
final class JournalRetention {
    private let store: any Store
    /// Writes the sessions' rows to `store`. This work has priority over the work on old rows.
    private let groupCommit: GroupCommit
    private let loop: LibeventLoop
    /// How long rows that are no longer needed are kept; nil means forever.
    private let retentionPeriod: Duration?
    /// Writes the high-water mark.
    private var markTimer: ScopedPendulum?
    /// Renews the limit of recorded refusals each second. The limit is a number of bytes per second.
    private var auditTimer: ScopedPendulum?
    /// Executes the next step of a round, or begins the next round.
    private var pruneTimer: ScopedCountdown?

    /// Whether no rows are removed until the operator allows it, because the clock may be wrong.
    private var isHeld: Bool
    private let schedule: RetentionSchedule
    /// The number of completed rounds over all old rows.
    private(set) var rounds = 0

    /// The intervals and amounts of the periodic work.
    struct RetentionSchedule {
        /// The interval between two high-water marks. If the daemon is killed, the next start knows the time of the kill only
        /// from the newest mark or row. The mark can be up to two intervals old.
        var markInterval = Duration.milliseconds(500)
        /// The maximum number of rows that a step examines.
        var rowsPerStep = 1000
        /// The pause between two steps, in which the journal is free for other work.
        var stepPause = Duration.milliseconds(50)
        /// The pause between two rounds.
        var roundPause = Duration.seconds(3600)
        /// The pause before the first round after the start.
        var firstPause = Duration.seconds(1)
        /// The maximum number of times that a step is postponed because rows wait to be written.
        var maxPostponements = 20
    }

    /// How many more times the next step may be postponed.
    private var postponementsLeft = 0

    /// Starts the timers. `retentionPeriod` is how long rows that are no longer needed are kept; nil means forever. With
    /// `isHeld`, rows are removed only after `releasePruning`.
    init(
        _ store: any Store, _ groupCommit: GroupCommit, on loop: LibeventLoop,
        keeping retentionPeriod: Duration?,
        isHeld: Bool = false, schedule: RetentionSchedule = RetentionSchedule()
    ) {
        self.isHeld = isHeld
        (self.store, self.groupCommit, self.loop, self.retentionPeriod) = (
            store, groupCommit, loop, retentionPeriod
        )
        self.schedule = schedule
        markTimer = ScopedPendulum(on: loop, schedule.markInterval) { [unowned self] _ in mark() }
        auditTimer = ScopedPendulum(on: loop, .seconds(1)) { [groupCommit] _ in
            groupCommit.sessions.renewAuditLimits()
        }
        if retentionPeriod != nil, !isHeld { wait(schedule.firstPause) { $0.prune(after: 0) } }
    }

    /// Ends the work, and writes a final mark.
    func end() {
        stop()
        mark()
    }

    /// Ends the work without writing a mark.
    func stop() { (markTimer, auditTimer, pruneTimer) = (nil, nil, nil) }

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
        pruneTimer = ScopedCountdown(on: loop, time) { [unowned self] in work(self) }
    }

    // MARK: old rows

    /// How long rows that are no longer needed are kept, as text.
    var retentionText: String { retentionPeriod.map(DurationText.write) ?? "forever" }

    /// Allows the removal of old rows, and begins a round if it was held. Returns whether it was held.
    func releasePruning() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        store.removeNote(StateDirectory.heldNote)
        if retentionPeriod != nil { wait(schedule.stepPause) { $0.prune(after: 0) } }
        return true
    }

    /// Executes one step of a round. Examines the rows after a position, and removes rows that are old enough and no longer
    /// needed. A round begins with position 0.
    private func prune(after position: Int) {
        guard let retentionPeriod else { return }
        // While rows wait to be written, the step is postponed, but only a limited number of times.
        guard groupCommit.isIdle || postponementsLeft == 0 else {
            postponementsLeft -= 1
            return wait(schedule.stepPause) { $0.prune(after: position) }
        }
        postponementsLeft = schedule.maxPostponements
        let cutoff = groupCommit.sessions.now + Duration.nanoseconds(-retentionPeriod.nanoseconds)
        // Schedules the next round. If the present round has a further step, `continueRound` replaces this timer.
        wait(schedule.roundPause) { $0.prune(after: 0) }
        store.pruneCandidates(
            after: position, recordedBefore: cutoff.nanoseconds, limit: schedule.rowsPerStep
        ) {
            [weak self] in
            // If the store fails, this round ends. The timer for the next round is set already.
            if case .success(let candidates) = $0 { self?.prune(candidates) }
        }
    }

    /// Removes the old rows that no session needs, and schedules the next step. Without rows the round is complete.
    private func prune(_ candidates: [PruneCandidate]) {
        guard let last = candidates.last else {
            rounds += 1
            return
        }
        let sessions = groupCommit.sessions
        let removable = candidates.filter { candidate in
            guard let name = SessionName(candidate.session) else {
                // A row without a session's name is a row of the daemon itself. The rows that record a start of the daemon, the
                // text of a flow file or a correction of the clock are always kept.
                return ![SessionRecord.startSeq, SessionRecord.textSeq, SessionRecord.clockSeq]
                    .contains(candidate.seq)
            }
            // `idNumber` is the number of the row's request id: a restart needs the rows of a session's newest ids.
            return !sessions.needs(
                candidate.position, of: name, idNumber: candidate.idNumber)
        }
        let continueRound = { [weak self] in
            guard let self else { return }
            wait(schedule.stepPause) { $0.prune(after: last.position) }
        }
        if removable.isEmpty { return continueRound() }
        store.prune(removable.map(\.position)) { if case .success = $0 { continueRound() } }
    }
}
