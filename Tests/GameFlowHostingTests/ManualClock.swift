import Synchronization

/// A clock that moves only when a test says so. `wallTime` is the time since 1970 that it shows.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private struct State {
        var now = Instant(offset: .seconds(1_700_000_000))
        var sleepers: [(id: Int, until: Instant, wake: CheckedContinuation<Void, Never>)] = []
        var lastID = 0
        var cancelled: Set<Int> = []
    }
    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    var wallTime: Duration { now.offset }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.now >= deadline || state.cancelled.remove(id) != nil { return true }
                    state.sleepers.append((id, deadline, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil as CheckedContinuation<Void, Never>?
                }
                return state.sleepers.remove(at: index).wake
            }
            sleeper?.resume()
        }
        try Task.checkCancellation()
    }

    /// Moves time forward, and wakes those whose time is over.
    func advance(by time: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: time)
            let now = state.now
            let woken = state.sleepers.filter { $0.until <= now }
            state.sleepers.removeAll { $0.until <= now }
            return woken.map(\.wake)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until somebody sleeps on this clock.
    func waitForSleeper() async {
        while state.withLock({ $0.sleepers.isEmpty }) { await Task.yield() }
    }
}
