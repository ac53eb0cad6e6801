internal import Timers

/// The declaration of a state's timer: its kind, its duration, and the signal that it sends, or the event in a machine
/// without a flow.
public struct TimerDeclaration<Event> {
    private enum Kind { case countdown, pendulum }

    private let kind: Kind
    private let time: Duration
    let event: Event
    private let afterRestart: AfterRestart

    /// Declares a timer that sends `event` once, `time` after the state is entered.
    public static func countdown(
        _ time: Duration, sends event: Event, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .countdown, time: time, event: event, afterRestart: afterRestart)
    }

    /// Declares a timer that sends `event` each `period`.
    public static func pendulum(
        _ period: Duration, sends event: Event, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .pendulum, time: period, event: event, afterRestart: afterRestart)
    }

    /// Sets the timer. Its handle is not needed, because the entry owns the timer and the state does not
    /// contain it.
    func set<F: Flow>(in entry: Entry<F>) where F.Signal == Event {
        switch kind {
        case .countdown: _ = entry.countdown(time, event, afterRestart: afterRestart)
        case .pendulum: _ = entry.pendulum(time, event, afterRestart: afterRestart)
        }
    }

    /// Sets the timer with a tag in the entry that the machine is making.
    func set(_ tag: UInt8, for machine: AnyMachine) {
        switch kind {
        case .countdown:
            _ = machine.timerQueue.setCountdown(
                time, tag: tag, in: &machine.newEntryTimers, for: machine)
        case .pendulum:
            _ = machine.timerQueue.setPendulum(
                time, tag: tag, in: &machine.newEntryTimers, for: machine)
        }
    }
}
