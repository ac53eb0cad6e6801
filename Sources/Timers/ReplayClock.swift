/// A clock that its owner sets explicitly. A replay uses this clock to fire the recorded timers one by one.
public final class ReplayClock: TimerClock {
    public let timerQueue: TimerQueue

    /// Creates a clock whose present instant is `start`.
    public init(startingAt start: Instant = .zero) { timerQueue = TimerQueue(startingAt: start) }

    /// Does nothing: only `fireNext` fires timers.
    public func fireDueTimers() {}
    public var isReal: Bool { false }

    /// The timer that fires next.
    public struct NextTimer {
        public let deadline: Instant
        /// The number by which the owner recognizes the timer; for a state's timer, the raw value of its signal.
        public let tag: UInt8
        /// A pendulum's period; nil for a countdown.
        public let period: Duration?
        /// The object that is called when the timer fires.
        public let owner: TimerOwner
    }

    /// The next timer to fire; nil if no timer is set or all timers are paused.
    public var next: NextTimer? { timerQueue.nextTimer }

    /// Moves the present instant forward without firing timers.
    public func move(to instant: Instant) { timerQueue.move(to: instant) }

    /// Fires the next timer at `instant`, which must not be before the timer's deadline.
    public func fireNext(at instant: Instant) {
        timerQueue.move(to: instant)
        // The present instant remains `instant`; it is not set to the timer's deadline, which may be earlier.
        _ = timerQueue.fireNext(by: now, movingTime: false)
    }
}
