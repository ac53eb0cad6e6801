import Timers

/// The real clock of a simulated daemon: the world says what time it is.
final class SimulatedClock: TimerClock {
    private let time: ReplayClock
    var timerQueue: TimerQueue { time.timerQueue }
    var isHeld = false

    init(startingAt start: Instant) { time = ReplayClock(startingAt: start) }

    /// Time goes on by a step, and the daemon comes to look: what is due fires then, a little late.
    func pass(_ step: Duration) { time.move(to: time.now + step) }

    func settle() {
        let now = time.now
        while !isHeld, let next = time.next, next.deadline <= now { time.fireNext(at: now) }
    }
}
