import Durability
import EventLoop
import Journal
import Sessions
import Support
import Timers

/// The periodic work on a journal: writes the high-water mark, and removes old rows.
final class JournalRetention {
    private let store: any Store
    private let groupCommit: GroupCommit
    private let loop: LibeventLoop
    /// How long rows that are no longer needed are kept; nil means forever.
    private let keeping: Duration?
    private var pulse: ScopedPendulum?
    private var auditPulse: ScopedPendulum?
    private var pause: ScopedCountdown?

    /// Whether no rows are removed until the operator allows it.
    private var isHeld: Bool
    private let schedule: RetentionSchedule
    /// The number of completed rounds over all old rows.
    private(set) var rounds = 0

    /// The intervals and amounts of the periodic work.
    struct RetentionSchedule {
        /// The interval between two marks: half of the time by which the sessions' clock may be set
        /// back after the daemon is killed.
        var signs = Duration.milliseconds(500)
        /// The number of rows that one step examines.
        var step = 1000
        /// The pause between two steps, in which the journal is free for other work.
        var between = Duration.milliseconds(50)
        /// The pause between two rounds, and before the first round after the start.
        var round = Duration.seconds(3600)
        var first = Duration.seconds(1)
        /// How many times a step is postponed because rows wait to be written.
        var patience = 20
    }

    private var patience = 0

    init(
        _ store: any Store, _ groupCommit: GroupCommit, on loop: LibeventLoop, keeping: Duration?,
        isHeld: Bool = false, schedule: RetentionSchedule = RetentionSchedule()
    ) {
        self.isHeld = isHeld
        (self.store, self.groupCommit, self.loop, self.keeping) = (
            store, groupCommit, loop, keeping
        )
        self.schedule = schedule
        pulse = ScopedPendulum(on: loop, schedule.signs) { [unowned self] _ in mark() }
        auditPulse = ScopedPendulum(on: loop, .seconds(1)) { [groupCommit] _ in
            groupCommit.sessions.renewAuditLimits()
        }
        if keeping != nil, !isHeld { wait(schedule.first) { $0.prune(after: 0) } }
    }

    /// Writes the last mark.
    func end() {
        stop()
        mark()
    }

    /// Ends the work without a mark.
    func stop() { (pulse, auditPulse, pause) = (nil, nil, nil) }

    /// Records that the daemon is running now. The clock is read first, because the time of the
    /// last wake-up may be as old as the previous mark.
    private func mark() {
        let sessions = groupCommit.sessions
        if groupCommit.mayServe() { sessions.timeline.settle() }
        store.mark(
            HighWaterMark(
                position: sessions.durableRow, atNs: sessions.now.nanoseconds))
    }

    private func wait(_ time: Duration, _ work: @escaping (JournalRetention) -> Void) {
        pause = ScopedCountdown(on: loop, time) { [unowned self] in work(self) }
    }

    // MARK: old rows

    /// How long rows that are no longer needed are kept, as text.
    var keep: String { keeping.map(DurationText.write) ?? "forever" }

    /// Allows the removal of old rows. Returns whether it was held before.
    func release() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        store.forget(StateDirectory.heldNote)
        if keeping != nil { wait(schedule.between) { $0.prune(after: 0) } }
        return true
    }

    /// Executes one step of a round: removes the rows after a position that are old enough and no
    /// longer needed.
    private func prune(after position: Int) {
        guard let keeping else { return }
        // Waits, for a limited time, until no rows wait to be written.
        guard groupCommit.isIdle || patience == 0 else {
            patience -= 1
            return wait(schedule.between) { $0.prune(after: position) }
        }
        patience = schedule.patience
        let old = groupCommit.sessions.now + Duration.nanoseconds(-keeping.nanoseconds)
        wait(schedule.round) { $0.prune(after: 0) }
        store.candidates(after: position, before: old.nanoseconds, limit: schedule.step) {
            [weak self] in
            // While the storage has failed no rows are found; the next round takes place
            // nevertheless.
            if case .success(let candidates) = $0 { self?.prune(candidates) }
        }
    }

    private func prune(_ candidates: [PruneCandidate]) {
        guard let last = candidates.last else {
            rounds += 1
            return
        }
        let sessions = groupCommit.sessions
        let old = candidates.filter { candidate in
            guard let name = SessionName(candidate.session) else {
                return candidate.seq != SessionRecord.startSeq
                    && candidate.seq != SessionRecord.textSeq
            }
            return !sessions.needs(
                candidate.position, of: name, idNumber: candidate.idNumber)
        }
        let resume = { [weak self] in
            guard let self else { return }
            wait(schedule.between) { $0.prune(after: last.position) }
        }
        if old.isEmpty { return resume() }
        store.prune(old.map(\.position)) { if case .success = $0 { resume() } }
    }
}
