import Timers

/// A clock of a simulated process. In the daemon this is a `LoopClock`; here it follows the clock of a simulated machine.
/// While it is held, no timer fires.
final class NodeClock: HoldableClock {
    let timerQueue: TimerQueue
    /// Returns the present time of the machine's clock.
    private let machineTime: () -> Instant
    /// By how much this clock is ahead of the machine's clock.
    private let lead: Duration
    var isHeld = false
    /// Called before each timer; if it returns false, no further timer fires.
    var mayFire: () -> Bool = { true }
    /// Called before a timer fires.
    var willFire: () -> Void = {}

    /// Starts at the present instant of `machineTime`, moved by `offset`, but not before `start`.
    init(
        notBefore start: Instant = .zero, offset: Duration = .zero,
        reading machineTime: @escaping () -> Instant
    ) {
        self.machineTime = machineTime
        lead = max(start - machineTime(), offset)
        timerQueue = TimerQueue(startingAt: machineTime() + lead)
    }

    /// Fires the timers that are due, until the clock is held or `mayFire` returns false.
    func fireDueTimers() {
        let now = machineTime() + lead
        timerQueue.move(to: now)
        guard !isHeld, timerQueue.isTimerDue else { return }
        timerQueue.fireDue(by: now) {
            guard !isHeld, mayFire() else { return false }
            if timerQueue.isTimerDue { willFire() }
            return true
        }
    }

    /// The time until the next timer fires; nil if no timer runs, or none may fire.
    var untilNext: Duration? {
        guard !isHeld, let next = timerQueue.next, mayFire() else { return nil }
        return next - (machineTime() + lead)
    }
}
