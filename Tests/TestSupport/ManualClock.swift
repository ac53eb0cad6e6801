import Synchronization

/// A clock of Swift concurrency that advances only by `advance(by:)`.
public final class ManualClock: Clock {
    public struct Instant: InstantProtocol {
        public var offset: Duration
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Content {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        /// The ids of sleeps that were cancelled before they began.
        var cancelled: Set<Int> = []
        /// The number of sleeps so far.
        var count = 0
    }

    private let content = Mutex(Content())

    public init() {}

    public var now: Instant { content.withLock { $0.now } }
    public var minimumResolution: Duration { .nanoseconds(1) }
    /// The number of tasks that are sleeping.
    public var sleeperCount: Int { content.withLock { $0.sleepers.count } }
    /// The time until the first sleeping task wakes; nil if no task is sleeping.
    public var timeToWake: Duration? {
        content.withLock { content in
            content.sleepers.map(\.deadline).min().map { content.now.duration(to: $0) }
        }
    }

    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = content.withLock { content in
            content.count += 1
            return content.count
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ sleeper: Sleeper) {
        let outcome = content.withLock { content -> Result<Void, any Error>? in
            if content.cancelled.remove(sleeper.id) != nil { return .failure(CancellationError()) }
            if sleeper.deadline <= content.now { return .success(()) }
            content.sleepers.append(sleeper)
            return nil
        }
        if let outcome { sleeper.continuation.resume(with: outcome) }
    }

    private func cancel(_ id: Int) {
        let found = content.withLock { content -> Sleeper? in
            guard let index = content.sleepers.firstIndex(where: { $0.id == id }) else {
                content.cancelled.insert(id)
                return nil
            }
            return content.sleepers.remove(at: index)
        }
        found?.continuation.resume(throwing: CancellationError())
    }

    /// Advances the clock, and resumes the tasks whose deadline has been reached.
    public func advance(by step: Duration) {
        let woken = content.withLock { content -> [Sleeper] in
            let now = content.now.advanced(by: step)
            content.now = now
            let woken = content.sleepers.filter { $0.deadline <= now }
            content.sleepers.removeAll { $0.deadline <= now }
            return woken
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }
}
