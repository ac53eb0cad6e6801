import EventLoop
import GameFlow
import Sessions
import Shards

/// Counts the sessions by flow and state, and their timers by flow, when somebody reads the metrics. A request or a change needs no
/// work for these counts.
///
/// Up to `immediateLimit` sessions are counted at once. More sessions are counted in several turns of the loop; the counts are then
/// those of the reading before.
final class SessionCensus {
    /// The counts of the sessions.
    struct Counts {
        /// By the flow, and then by the state.
        var sessions: [String: [String: Int]] = [:]
        /// By the flow.
        var timers: [String: Int] = [:]

        mutating func add(_ session: Session) {
            let flow = session.flow.name
            sessions[flow, default: [:]][session.stateName, default: 0] += 1
            let timerCount = session.timerCount
            if timerCount > 0 { timers[flow, default: 0] += timerCount }
        }
    }

    /// The sessions up to this number are counted at once, which takes a few milliseconds.
    static let immediateLimit = 10_000
    /// The maximum time of a turn that the counting takes.
    private static let timePerTurn = Duration.milliseconds(2)
    /// The number of sessions between two looks at the time.
    private static let sessionsPerLook = 256

    private let shards: OwnShards
    private let loop: LibeventLoop
    /// The counts of the last complete counting.
    private var latest = Counts()
    /// The counting that is in progress; nil if there is none.
    private var progress: Counting?
    private lazy var task = DeferredTask(on: loop) { [unowned self] in countForAWhile() }

    private struct Counting {
        var counts = Counts()
        /// The shards that are not counted yet.
        var shards: [Int]
        /// The last session of the first shard that was counted.
        var last: SessionName?
    }

    init(_ shards: OwnShards, on loop: LibeventLoop) { (self.shards, self.loop) = (shards, loop) }

    /// The present counts, or those of the reading before if there are many sessions.
    func read() -> Counts {
        if progress == nil { progress = Counting(shards: shards.byNumber.keys.sorted()) }
        if shards.sessionCount <= Self.immediateLimit {
            while progress != nil { countPage() }
        } else {
            task.call()
        }
        return latest
    }

    private func countForAWhile() {
        let start = ContinuousClock.now
        while progress != nil, ContinuousClock.now - start < Self.timePerTurn { countPage() }
        if progress != nil { task.call() }
    }

    /// Counts a page of sessions, and ends the counting after the last one.
    private func countPage() {
        guard var progress = self.progress.take() else { return }
        guard let number = progress.shards.first else {
            latest = progress.counts
            return
        }
        // The shard may have moved to another node meanwhile.
        let page = shards.byNumber[number]?.sessions.list(
            after: progress.last, limit: Self.sessionsPerLook, areUnreadListed: false)
        for session in page?.sessions ?? [] { progress.counts.add(session) }
        progress.last = page?.sessions.last?.name
        if page?.more != true {
            progress.shards.removeFirst()
            progress.last = nil
        }
        self.progress = progress
    }
}
