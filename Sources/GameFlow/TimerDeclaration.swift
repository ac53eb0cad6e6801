public import Timers

/// The declaration of a state's timer: the timer's kind, its duration, and the signal that it sends. In a machine without a
/// flow, the timer sends an event. `Event` is the type of the signal or of the event.
public struct TimerDeclaration<Event> {
    private let kind: TimerKind
    private let traits: TimerTraits
    /// The time until a countdown fires, or the period of a pendulum; zero for a stopwatch.
    private let duration: Duration
    /// The time of day at which the timer fires; nil if it fires at none.
    private var time: TimeOfDay? = nil
    /// The signal, or the event, that the timer sends; a stopwatch only has its name.
    let event: Event
    /// What becomes of the timer when its session is restored after a restart of the daemon.
    private let afterRestart: AfterRestart

    /// Declares a timer that sends `event` once, `time` after the state is entered. With `traits`, it begins paused
    /// (`beginsPaused`), or runs on below zero after it has sent the event (`overtime`).
    public static func countdown(
        _ time: Duration, sends event: Event, _ traits: TimerTraits = [],
        afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(
            kind: .countdown, traits: traits, duration: time, event: event,
            afterRestart: afterRestart)
    }

    /// Declares a timer that sends `event` each `period`. With the trait `beginsPaused`, it begins paused.
    public static func pendulum(
        _ period: Duration, sends event: Event, _ traits: TimerTraits = [],
        afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(
            kind: .pendulum, traits: traits, duration: period, event: event,
            afterRestart: afterRestart)
    }

    /// Declares a stopwatch: a timer that counts the time for which it runs, and never fires. `event` is its name. With the
    /// trait `beginsPaused`, it begins paused.
    public static func stopwatch(
        _ event: Event, _ traits: TimerTraits = [], afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(
            kind: .stopwatch, traits: traits, duration: .zero, event: event,
            afterRestart: afterRestart)
    }

    /// Declares a timer that sends `event` once, when the wall clock next shows `time`. With the trait `beginsPaused`, it begins
    /// paused.
    public static func until(
        _ time: TimeOfDay, sends event: Event, _ traits: TimerTraits = []
    ) -> Self {
        Self(
            kind: .until, traits: traits, duration: .zero, time: time, event: event,
            afterRestart: .deadline)
    }

    /// Sets the timer. Its handle is not needed, because the entry owns the timer and the state does not
    /// contain it.
    func set<F: Flow>(in entry: Entry<F>) where F.Signal == Event {
        switch kind {
        case .countdown where traits.isEmpty:
            _ = entry.countdown(duration, event, afterRestart: afterRestart)
        case .countdown: _ = entry.countdown(duration, event, traits, afterRestart: afterRestart)
        case .pendulum where traits.isEmpty:
            _ = entry.pendulum(duration, event, afterRestart: afterRestart)
        case .pendulum: _ = entry.pendulum(duration, event, traits, afterRestart: afterRestart)
        case .when: break  // no declaration of a mark exists
        case .until: if let time { _ = entry.until(time, event, traits) }
        case .stopwatch: _ = entry.stopwatch(event, traits, afterRestart: afterRestart)
        }
    }

    /// Sets the timer for the state that `machine`, a machine without a flow, is entering. The machine recognizes the timer by
    /// `tag`. Such a machine cannot be restored, so `afterRestart` is not needed.
    func set(_ tag: UInt8, for machine: AnyMachine) {
        switch kind {
        case .countdown:
            _ = machine.timerQueue.setCountdown(
                duration, traits, tag: tag, in: &machine.newEntryTimers, for: machine)
        case .pendulum:
            _ = machine.timerQueue.setPendulum(
                duration, traits, tag: tag, in: &machine.newEntryTimers, for: machine)
        case .when: break
        case .until:
            guard let time else { break }
            _ = machine.timerQueue.setUntil(
                time, traits, tag: tag, in: &machine.newEntryTimers, for: machine)
        case .stopwatch:
            _ = machine.timerQueue.setStopwatch(
                traits, tag: tag, in: &machine.newEntryTimers, for: machine)
        }
    }
}
