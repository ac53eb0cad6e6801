/// Time that moves only when told to, from deadline to deadline.
///
/// Each timer finds its own deadline as the present when it fires, so that what it sets in turn counts
/// from there: three states of 100 ms each are over after one step of 300 ms.
public final class VirtualClock: TimerClock {
    public let timerQueue: TimerQueue

    /// Time that stands at `start`.
    public init(startingAt start: Instant = .zero) { timerQueue = TimerQueue(startingAt: start) }

    public func settle() {}
    public var isReal: Bool { false }

    /// What is still to happen, in order; a test ends by proving that this is empty.
    public var pending: [TimerInfo] { timerQueue.pending }

    /// What one step of time did.
    public struct Step {
        /// The timers that fired, in order.
        public var fired: [Firing] = []
        /// Whether the step stopped at its limit of firings, before its end.
        public var isCutShort = false
    }

    /// Hears of each timer that fired, and whose it was, before the next one does.
    public typealias Listener = (Firing, TimerOwner) -> Void

    /// Moves time by `step`, or to where `limit` timers have fired. Time ends at `Instant.last`.
    @discardableResult public func advance(
        by step: Duration, limit: Int = .max, _ tell: Listener = { _, _ in }
    ) -> Step {
        advance(to: min(now + max(step, .zero), .last), limit: limit, tell)
    }

    /// Moves time to the next deadline and fires everything that is due there; without one, or with
    /// none before the end of time, nothing moves.
    @discardableResult public func advanceToNext(
        limit: Int = .max, _ tell: Listener = { _, _ in }
    ) -> Step {
        guard let next = timerQueue.next, next <= .last else { return Step() }
        return advance(to: next, limit: limit, tell)
    }

    /// Makes an earlier instant the present again: what has happened since has not. Whoever takes it back
    /// sets the timers, too.
    public func goBack(to instant: Instant) { timerQueue.goBack(to: instant) }

    private func advance(to target: Instant, limit: Int, _ tell: Listener) -> Step {
        var step = Step()
        while step.fired.count < limit {
            guard let firing = timerQueue.fireNext(by: target, movingTime: true, tell) else {
                timerQueue.move(to: target)
                return step
            }
            step.fired.append(firing)
        }
        guard let next = timerQueue.next, next <= target else {
            timerQueue.move(to: target)
            return step
        }
        step.isCutShort = true
        return step
    }
}
