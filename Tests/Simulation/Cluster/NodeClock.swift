import Timers

/// A clock of a simulated process. In the daemon this is a `LoopClock`; here it follows the clock of a simulated machine.
/// While it is held, no timer fires.
final class NodeClock: HoldableClock {
    let timerQueue: TimerQueue
    private let read: () -> Instant
    /// By how much the clock is ahead of `read`.
    private let ahead: Duration
    var isHeld = false
    var mayFire: () -> Bool = { true }
    /// Called before a timer fires.
    var willFire: () -> Void = {}

    /// Starts at the present instant of `read`, moved by `offset`, but not before `start`.
    init(
        notBefore start: Instant = .zero, offset: Duration = .zero,
        reading read: @escaping () -> Instant
    ) {
        self.read = read
        ahead = max(start - read(), offset)
        timerQueue = TimerQueue(startingAt: read() + ahead)
    }

    func fireDueTimers() {
        let now = read() + ahead
        timerQueue.move(to: now)
        guard !isHeld, timerQueue.isTimerDue else { return }
        timerQueue.fireDue(by: now) {
            guard !isHeld, mayFire() else { return false }
            if timerQueue.isTimerDue { willFire() }
            return true
        }
    }

    /// The time until the next timer fires; nil if no timer runs.
    var untilNext: Duration? {
        guard !isHeld, let next = timerQueue.next, mayFire() else { return nil }
        return next - (read() + ahead)
    }
}
