/// A clock whose time moves only by explicit calls, from deadline to deadline.
///
/// While a timer fires, the present instant is its deadline. A timer that is set during the firing starts at that instant.
/// Three successive states of 100 ms each therefore end within one call of `advance(by: .milliseconds(300))`.
public final class VirtualClock: TimerClock {
    public let timerQueue: TimerQueue

    /// Creates a clock whose present instant is `start`.
    public init(startingAt start: Instant = .zero) { timerQueue = TimerQueue(startingAt: start) }

    /// Fires the timers that are due at the present instant, for example timers with a duration of zero.
    public func fireDueTimers() { timerQueue.fireDue(by: now) }
    public var isReal: Bool { false }

    /// All live timers in the order in which they will fire. A test can check at its end that the list is
    /// empty.
    public var pending: [TimerInfo] { timerQueue.pending }

    /// The result of one call of `advance` or `advanceToNext`.
    public struct Step {
        /// The timers that fired, in order.
        public var fired: [Firing] = []
        /// Whether the call stopped at its limit of firings, or at `roundLimit`, although more timers were due.
        public var isCutShort = false
    }

    /// How many states with a timer of zero duration can follow each other at one instant. A call stops there, so that a flow whose
    /// states lead to each other at once does not hold it for ever.
    public static let roundLimit = 100_000

    /// Moves time forward by `duration`, or until `limit` timers have fired. Time ends at `Instant.last`.
    @discardableResult public func advance(by duration: Duration, limit: Int = .max) -> Step {
        advance(to: min(now + max(duration, .zero), .last), limit: limit)
    }

    /// Moves time to the next deadline and fires every timer that is due there. Does nothing if no timer is set
    /// or the next deadline is after `Instant.last`.
    @discardableResult public func advanceToNext(limit: Int = .max) -> Step {
        guard let next = timerQueue.next, next <= .last else { return Step() }
        return advance(to: next, limit: limit)
    }

    /// Moves the present instant back. The caller must also restore the timers as they were at `instant`.
    public func goBack(to instant: Instant) { timerQueue.goBack(to: instant) }

    /// Moves time to `target`. The caller has read the queue's instant, so that the queue has the caller's context.
    private func advance(to target: Instant, limit: Int) -> Step {
        var step = Step()
        // The timers of a round were set before its first one fired.
        var (instant, round, lastOrder) = (Instant.zero, 0, UInt64(0))
        while step.fired.count < limit, round < Self.roundLimit {
            let newestOrder = timerQueue.newestOrder
            guard let firing = timerQueue.fireFirst(by: target, movingTime: true) else {
                timerQueue.movePresent(to: target)
                return step
            }
            step.fired.append(firing)
            if firing.deadline != instant {
                (instant, round, lastOrder) = (firing.deadline, 0, newestOrder)
            } else if firing.order > lastOrder {
                (round, lastOrder) = (round + 1, newestOrder)
            }
        }
        guard let next = timerQueue.firstDeadline, next <= target else {
            timerQueue.movePresent(to: target)
            return step
        }
        step.isCutShort = true
        return step
    }
}
