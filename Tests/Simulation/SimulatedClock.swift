import Timers

/// The clock that a simulated daemon uses as its real clock. The simulation advances it.
final class SimulatedClock: TimerClock {
    private let time: ReplayClock
    var timerQueue: TimerQueue { time.timerQueue }
    /// Whether no timer fires, because the store does not work.
    var isHeld = false

    init(startingAt start: Instant) { time = ReplayClock(startingAt: start) }

    /// Advances the time without firing timers; `fireDueTimers()` then fires them late.
    func advance(by step: Duration) { time.move(to: time.now + step) }

    /// Fires all timers whose deadlines have passed, in order.
    func fireDueTimers() {
        let now = time.now
        while !isHeld, let next = time.next, next.deadline <= now { time.fireNext(at: now) }
    }
}
