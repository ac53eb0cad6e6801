public import Timers

/// One entry into a state, while it is being made: the only place where a state's timers come from.
///
/// They end when the state is left, also when it is left for itself, and when its making throws.
public struct Entry<F: Flow> {
    @usableFromInline let machine: AnyMachine

    @inlinable init(machine: AnyMachine) { self.machine = machine }

    /// A timer that sends `fires` once, `total` from now, or after the `remaining` time that an earlier
    /// one had left. `afterRestart` says what it does when the session is restored.
    @inlinable public func countdown(
        _ total: Duration, remaining: Duration? = nil, _ fires: F.Signal,
        afterRestart: AfterRestart = .deadline
    ) -> Countdown {
        if machine.notesPolicies { machine.note(afterRestart, of: fires.rawValue) }
        return machine.timerQueue.setCountdown(
            total, remaining: remaining, tag: fires.rawValue, in: &machine.making,
            for: machine)
    }

    /// A timer that sends `fires` every `period`.
    @inlinable public func pendulum(
        _ period: Duration, _ fires: F.Signal, afterRestart: AfterRestart = .deadline
    ) -> Pendulum {
        if machine.notesPolicies { machine.note(afterRestart, of: fires.rawValue) }
        return machine.timerQueue.setPendulum(
            period, tag: fires.rawValue, in: &machine.making, for: machine)
    }

    /// Sends an event to the session itself, once the present step is over and told, and only if it
    /// is not refused.
    public func post(_ event: String, _ arguments: [Member] = []) {
        machine.addPost(event, arguments)
    }
}
