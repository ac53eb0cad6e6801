/// Time that is told when it is: for who runs again what was written down, one timer after the other.
public final class ReplayClock: TimerClock {
    public let timerQueue: TimerQueue

    /// Time that stands at `start`.
    public init(startingAt start: Instant = .zero) { timerQueue = TimerQueue(startingAt: start) }

    public func settle() {}
    public var isReal: Bool { false }

    /// The timer that comes first: when, what, and whose.
    public struct Next {
        public let deadline: Instant
        public let tag: UInt8
        /// A pendulum's period; nil of a countdown.
        public let period: Duration?
        public let owner: TimerOwner
    }

    /// The timer that comes first; nil when none is set, or all are paused.
    public var next: Next? { timerQueue.first }

    /// Moves time forward without firing anything.
    public func move(to instant: Instant) { timerQueue.move(to: instant) }

    /// Fires the timer that comes first, at an instant that is not before its deadline.
    public func fireNext(at instant: Instant) {
        timerQueue.move(to: instant)
        _ = timerQueue.fireNext(by: now, movingTime: false)
    }
}
