import Durability
import EventLoop
import Journal
import Sessions
internal import Support
import Timers

/// What a journal needs now and then: a sign of life each second, and that what is old goes.
final class JournalRetention {
    private let store: any Store
    private let keeper: GroupCommit
    private let loop: LibeventLoop
    /// How long what is over is kept; nil for ever.
    private let keeping: Duration?
    private var pulse: ScopedPendulum?
    private var auditPulse: ScopedPendulum?
    private var pause: ScopedCountdown?

    /// Whether nothing is removed until an operator says so.
    private var isHeld: Bool
    private let rhythm: RetentionSchedule
    /// How many times all that was old has been looked at.
    private(set) var rounds = 0

    /// How much of what is old is looked at, and when.
    struct RetentionSchedule {
        /// How long between two signs of life: half of what a kill may give back of a clock that stands still.
        var signs = Duration.milliseconds(500)
        /// How many rows are looked at in one step.
        var step = 1000
        /// How long the journal has for itself between two.
        var between = Duration.milliseconds(50)
        /// How long after a round the next one begins, and the first one after the start.
        var round = Duration.seconds(3600)
        var first = Duration.seconds(1)
        /// How many times it gives way to what has to be written.
        var patience = 20
    }

    private var patience = 0

    init(
        _ store: any Store, _ keeper: GroupCommit, on loop: LibeventLoop, keeping: Duration?,
        isHeld: Bool = false, rhythm: RetentionSchedule = RetentionSchedule()
    ) {
        self.isHeld = isHeld
        (self.store, self.keeper, self.loop, self.keeping) = (store, keeper, loop, keeping)
        self.rhythm = rhythm
        pulse = ScopedPendulum(on: loop, rhythm.signs) { [unowned self] _ in mark() }
        auditPulse = ScopedPendulum(on: loop, .seconds(1)) { [keeper] _ in
            keeper.sessions.renewAuditLimits()
        }
        if keeping != nil, !isHeld { wait(rhythm.first) { $0.prune(after: 0) } }
    }

    /// The last sign of life.
    func end() {
        (pulse, auditPulse, pause) = (nil, nil, nil)
        mark()
    }

    /// Says that the daemon is up now. The sessions' clock was read last when the loop woke up before, which may
    /// be as long ago as the last sign: it is read again first.
    private func mark() {
        let sessions = keeper.sessions
        sessions.timeline.settle()
        store.mark(
            HighWaterMark(
                position: sessions.keptRow, atNs: sessions.now.nanoseconds))
    }

    private func wait(_ time: Duration, _ work: @escaping (JournalRetention) -> Void) {
        pause = ScopedCountdown(on: loop, time) { [unowned self] in work(self) }
    }

    // MARK: what is old

    /// How long rows are kept that are over, as text.
    var keep: String { keeping.map(DurationText.write) ?? "forever" }

    /// Lets old rows be removed; whether that was held back.
    func release() -> Bool {
        guard isHeld else { return false }
        isHeld = false
        store.forget(StateDirectory.heldNote)
        if keeping != nil { wait(rhythm.between) { $0.prune(after: 0) } }
        return true
    }

    /// A step of a round: the rows behind a position that happened long enough ago and are not wanted any
    /// more are removed.
    private func prune(after position: Int) {
        guard let keeping else { return }
        // While there is nothing else to do for the disk, if that comes about before long.
        guard keeper.isIdle || patience == 0 else {
            patience -= 1
            return wait(rhythm.between) { $0.prune(after: position) }
        }
        patience = rhythm.patience
        let old = keeper.sessions.now + Duration.nanoseconds(-keeping.nanoseconds)
        wait(rhythm.round) { $0.prune(after: 0) }
        store.candidates(after: position, before: old.nanoseconds, limit: rhythm.step) {
            [weak self] in
            // While the storage is out nothing is found: the next round begins all the same.
            if case .success(let candidates) = $0 { self?.prune(candidates) }
        }
    }

    private func prune(_ candidates: [PruneCandidate]) {
        guard let last = candidates.last else {
            rounds += 1
            return
        }
        let sessions = keeper.sessions
        let old = candidates.filter { candidate in
            guard let name = SessionName(candidate.session) else {
                return candidate.seq != SessionRecord.startSeq
            }
            return !sessions.needs(
                candidate.position, of: name, idNumber: candidate.idNumber)
        }
        let goOn = { [weak self] in
            guard let self else { return }
            wait(rhythm.between) { $0.prune(after: last.position) }
        }
        if old.isEmpty { return goOn() }
        store.prune(old.map(\.position)) { if case .success = $0 { goOn() } }
    }
}
