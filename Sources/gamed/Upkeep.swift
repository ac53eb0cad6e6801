import Journal
import Keeping
import Sessions
import Timers

/// What a journal needs now and then: a sign of life each second, and that what is old goes.
final class Upkeep {
    private let store: SQLiteStore
    private let keeper: Keeper
    private let loop: EventLoop
    /// How long what is over is kept; nil for ever.
    private let keeping: Interval?
    private var pulse: HeldPendulum?
    private var pause: HeldCountdown?

    /// How many rows are looked at in one step, and how long the journal has for itself between two.
    private static let step = 1000
    private static let between = Interval.milliseconds(50)
    /// How long after a round the next one begins.
    private static let round = Interval.seconds(3600)

    init(_ store: SQLiteStore, _ keeper: Keeper, on loop: EventLoop, keeping: Interval?) {
        (self.store, self.keeper, self.loop, self.keeping) = (store, keeper, loop, keeping)
        pulse = HeldPendulum(on: loop, .seconds(1)) { [unowned self] _ in mark() }
        if keeping != nil { wait(.seconds(1)) { $0.prune(after: 0) } }
    }

    /// The last sign of life.
    func end() {
        (pulse, pause) = (nil, nil)
        mark()
    }

    private func mark() {
        let sessions = keeper.sessions
        store.mark(
            HighWaterMark(
                position: Int64(sessions.keptRow), atNs: sessions.now.nanoseconds))
    }

    private func wait(_ time: Interval, _ work: @escaping (Upkeep) -> Void) {
        pause = HeldCountdown(on: loop, time) { [unowned self] in work(self) }
    }

    // MARK: what is old

    /// A step of a round: the rows behind a position that happened long enough ago and are not wanted any
    /// more are removed.
    private func prune(after position: Int64) {
        guard let keeping else { return }
        // Only while there is nothing else to do for the disk.
        guard keeper.isIdle else { return wait(Self.between) { $0.prune(after: position) } }
        let old = keeper.sessions.now + Interval(nanoseconds: -keeping.nanoseconds)
        store.candidates(after: position, before: old.nanoseconds, limit: Self.step) {
            [weak self] in self?.prune($0)
        }
        // Where the storage is out nobody answers: the next round begins all the same.
        wait(Self.round) { $0.prune(after: 0) }
    }

    private func prune(_ candidates: [JournalFile.Candidate]) {
        guard let last = candidates.last else { return }
        let sessions = keeper.sessions
        let old = candidates.filter { candidate in
            guard let name = SessionName(candidate.session) else {
                return candidate.seq != SessionRecord.startSeq
            }
            return !sessions.needs(
                Int(candidate.position), of: name, idNumber: candidate.idNumber.map { Int($0) })
        }
        let goOn = { [weak self] in
            self?.wait(Self.between) { $0.prune(after: last.position) } ?? ()
        }
        if old.isEmpty { goOn() } else { store.prune(old.map(\.position), goOn) }
    }
}
