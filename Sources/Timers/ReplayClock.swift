/// A clock that its owner sets explicitly. A replay uses it to fire recorded timers one after the other.
public final class ReplayClock: TimerClock {
    public let timerQueue: TimerQueue

    /// Creates a clock whose present instant is `start`.
    public init(startingAt start: Instant = .zero) { timerQueue = TimerQueue(startingAt: start) }

    public func fireDueTimers() {}
    public var isReal: Bool { false }

    /// The next timer to fire: its deadline, tag, period and owner.
    public struct Next {
        public let deadline: Instant
        public let tag: UInt8
        /// A pendulum's period; nil for a countdown.
        public let period: Duration?
        public let owner: TimerOwner
    }

    /// The next timer to fire; nil if no timer is set or all timers are paused.
    public var next: Next? { timerQueue.first }

    /// Moves the present instant forward without firing timers.
    public func move(to instant: Instant) { timerQueue.move(to: instant) }

    /// Fires the next timer at `instant`, which must not be before the timer's deadline.
    public func fireNext(at instant: Instant) {
        timerQueue.move(to: instant)
        _ = timerQueue.fireNext(by: now, movingTime: false)
    }
}
