import EventLoop
import Timers

/// Since when the present input of a connection may have been sent, by the loop's clock. The daemon refuses a request that may be
/// older than what it remembers.
struct InputAge {
    /// An instant after which the input began to arrive.
    private(set) var since: Instant
    /// When the input was read to its end most recently. What is read next was sent later.
    private var emptiedAt: Instant
    /// Since when the channel has waited for input without a pause; nil while it does not wait.
    private var waitsSince: Instant?

    /// The connection was made after the instant `since`. The channel waits for input from now on.
    init(since: Instant, now: Instant) { (self.since, emptiedAt, waitsSince) = (since, since, now) }

    /// Call this for the first bytes of a request, before `didRead`; the beginning of an unfinished request may have been sent
    /// earlier than its end.
    mutating func willRead(_ loop: LibeventLoop) {
        // While the channel waited for input, each complete turn of the loop has found none.
        let completeTurn = loop.completeTurn
        let hasWaited = waitsSince.map { $0 < completeTurn } ?? false
        since = hasWaited ? max(emptiedAt, completeTurn) : emptiedAt
    }

    /// Call this after a read of `count` bytes into a buffer with room for `capacity` bytes.
    mutating func didRead(
        _ count: Int, of capacity: Int, from channel: any Channel, _ loop: LibeventLoop
    ) {
        if count == capacity {
            leaveInput()
        } else if channel.readsToEnd {
            didReadAll(loop)
        }
    }

    /// Call this when all input was read that had arrived.
    mutating func didReadAll(_ loop: LibeventLoop) { emptiedAt = loop.timerQueue.now }

    /// Call this when the channel begins or ends to wait for input.
    mutating func wait(_ isWaiting: Bool, _ loop: LibeventLoop) {
        if !isWaiting {
            waitsSince = nil
        } else if waitsSince == nil {
            waitsSince = loop.timerQueue.now
        }
    }

    /// Call this in each turn in which the channel may have input that is not read: what is read next may have arrived before.
    mutating func leaveInput() { waitsSince = nil }
}
