internal import Timers

/// What a transition that keeps the state does to one of the state's timers.
package enum TimerAdjustment {
    case pause, resume, restart
    /// Adds to the remaining time and to the total.
    case extend(by: Duration)
    /// Subtracts from the remaining time and leaves at least a millisecond.
    case shorten(by: Duration)
    /// Sets the remaining time.
    case set(to: Duration)

    func apply(to timer: TimerID, on timerQueue: TimerQueue) {
        switch self {
        case .pause: timerQueue.pause(timer)
        case .resume: timerQueue.resume(timer)
        case .restart: timerQueue.restart(timer)
        case .extend(let more): _ = timerQueue.extend(timer, by: more)
        case .shorten(let less):
            guard let info = timerQueue.info(timer) else { return }
            timerQueue.setRemaining(timer, to: max(info.remaining - less, .milliseconds(1)))
        case .set(let remaining): timerQueue.setRemaining(timer, to: remaining)
        }
    }
}
