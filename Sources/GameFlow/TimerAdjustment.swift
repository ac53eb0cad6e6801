internal import Timers

/// What a transition that keeps the state does to one of the state's timers. An operator's command is a `TimerOperation`.
package enum TimerAdjustment {
    case pause, resume, restart
    /// Adds to the remaining time and to the total duration of a countdown.
    case extend(by: Duration)
    /// Subtracts from the remaining time of a countdown and leaves at least a millisecond; not with overtime.
    case shorten(by: Duration)
    /// Sets the remaining time of a countdown.
    case set(to: Duration)
    /// Sets the time that a stopwatch has spent.
    case setSpent(to: Duration)

    /// Carries out the adjustment. `restart` also restarts a countdown that has fired; the others change only a live timer.
    /// `extend`, `shorten` and `set` change no pendulum, and `extend` and `shorten` no stopwatch.
    func apply(to timer: TimerID, on timerQueue: TimerQueue) {
        switch self {
        case .pause: timerQueue.pause(timer)
        case .resume: timerQueue.resume(timer)
        case .restart: timerQueue.restart(timer)
        case .extend(let more):
            // Nobody needs the result, which is false if nothing changes. A row of a flow file checks the total beforehand.
            _ = timerQueue.extend(timer, by: more)
        case .shorten(let less):
            timerQueue.shorten(timer, by: less)
        case .set(let remaining): timerQueue.setRemaining(timer, to: remaining)
        case .setSpent(let spent): timerQueue.setSpent(timer, to: spent)
        }
    }
}
