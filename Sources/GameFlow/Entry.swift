public import Timers

/// One entry into a state, while the entry is being made. A transition makes the new state with a closure. This closure gets
/// the entry as its argument, and creates the state's timers with the entry. There is no other way to create a state's timers.
///
/// The timers end when the machine leaves the state, even to enter the same state again. The timers also end if the closure
/// throws.
public struct Entry<F: Flow> {
    @usableFromInline let machine: AnyMachine

    @inlinable init(machine: AnyMachine) { self.machine = machine }

    /// The flow with the settings of its session. A transition's closure reads the flow here. If the closure captured the flow,
    /// each event would copy the flow and count the references in the flow.
    @inlinable public var flow: F {
        unsafeDowncast(machine, to: StateMachine<F.State, F.Event>.self).engine.box(F.self).flow
    }

    /// Sets a timer that sends `fires` once, after `total`. To continue an earlier timer, pass the `remaining` time of the
    /// earlier timer. Then `fires` is sent after the remaining time, and `total` is still the full duration. A negative time
    /// counts as zero. `afterRestart` says what the timer does when the session is restored; by default, it keeps its deadline.
    @inlinable public func countdown(
        _ total: Duration, remaining: Duration? = nil, _ fires: F.Signal,
        afterRestart: AfterRestart = .deadline
    ) -> Countdown {
        if machine.isRestoring { machine.recordPolicy(afterRestart, of: fires.rawValue) }
        return machine.setEntryTimer {
            machine.timerQueue.setCountdown(
                total, remaining: remaining, tag: fires.rawValue, in: &$0, for: machine)
        }
    }

    /// Sets a timer that sends `fires` every `period`, at least each millisecond. `afterRestart` is as for `countdown`.
    @inlinable public func pendulum(
        _ period: Duration, _ fires: F.Signal, afterRestart: AfterRestart = .deadline
    ) -> Pendulum {
        if machine.isRestoring { machine.recordPolicy(afterRestart, of: fires.rawValue) }
        return machine.setEntryTimer {
            machine.timerQueue.setPendulum(period, tag: fires.rawValue, in: &$0, for: machine)
        }
    }

    /// As `countdown` above, with traits: the timer begins paused (`beginsPaused`), or fires at zero and runs on below it
    /// (`overtime`). With overtime, `remaining` may be negative: the timer then begins in overtime, and does not fire.
    public func countdown(
        _ total: Duration, remaining: Duration? = nil, _ fires: F.Signal, _ traits: TimerTraits,
        afterRestart: AfterRestart = .deadline
    ) -> Countdown {
        if machine.isRestoring { machine.recordPolicy(afterRestart, of: fires.rawValue) }
        return machine.setEntryTimer {
            machine.timerQueue.setCountdown(
                total, remaining: remaining, traits, tag: fires.rawValue, in: &$0, for: machine)
        }
    }

    /// As `pendulum` above, with traits: the timer may begin paused (`beginsPaused`).
    public func pendulum(
        _ period: Duration, _ fires: F.Signal, _ traits: TimerTraits,
        afterRestart: AfterRestart = .deadline
    ) -> Pendulum {
        if machine.isRestoring { machine.recordPolicy(afterRestart, of: fires.rawValue) }
        return machine.setEntryTimer {
            machine.timerQueue.setPendulum(
                period, traits, tag: fires.rawValue, in: &$0, for: machine)
        }
    }

    /// Sets a stopwatch, which counts the time for which it runs. It is named by a signal, which it never sends. It begins with
    /// `spent`, and paused if `traits` has `beginsPaused`. `afterRestart` is as for `countdown`: by default, the time while the
    /// daemon was down counts.
    public func stopwatch(
        _ name: F.Signal, spent: Duration = .zero, _ traits: TimerTraits = [],
        afterRestart: AfterRestart = .deadline
    ) -> Stopwatch {
        if machine.isRestoring { machine.recordPolicy(afterRestart, of: name.rawValue) }
        return machine.setEntryTimer {
            machine.timerQueue.setStopwatch(
                spent: spent, traits, tag: name.rawValue, in: &$0, for: machine)
        }
    }

    /// Sets a timer that sends `fires` once, when the wall clock next shows `time` in the zone of the daemon; a state that is
    /// entered at exactly this time waits for a day. With the trait `beginsPaused`, it begins paused. It keeps its deadline over
    /// restarts. Such a timer cannot be extended; `resume` sets it to its deadline again, and restarting it waits for the next
    /// such time.
    public func until(_ time: TimeOfDay, _ fires: F.Signal, _ traits: TimerTraits = [])
        -> Countdown
    {
        machine.setEntryTimer {
            machine.timerQueue.setUntil(time, traits, tag: fires.rawValue, in: &$0, for: machine)
        }
    }

    /// Sets a mark on `countdown`, a countdown of this entry that sends `signal`: `fires` is sent each time that what the countdown
    /// has left goes from above `left` to `left` or less while the state lasts: by time, by an operation, or because the daemon was
    /// down. At one instant, marks fire before their countdown. A state that is entered with `left` or less does not fire it. A mark
    /// stands still with its countdown. `countdown` is nil if the entry does not set it.
    public func mark(
        left: Duration, of countdown: Countdown?, _ signal: F.Signal, _ fires: F.Signal
    ) {
        machine.setEntryTimer {
            machine.timerQueue.setMark(
                left: left, of: countdown, countdownTag: signal.rawValue, tag: fires.rawValue,
                in: &$0, for: machine)
        }
    }

    /// Whether the entry restores a recorded state. The state then has to set every timer that it can have. The durations
    /// do not matter, because each timer continues as recorded, and a timer without a record ends.
    package var isRestoring: Bool { machine.isRestoring }

    /// The chance after the last draw, for a state that is entered without drawing: that of the state before, otherwise that of
    /// the opening or of the restored session. Nil in a search.
    package func chance(of read: (F.State) -> Chance?) -> Chance? {
        let machine = unsafeDowncast(machine, to: StateMachine<F.State, F.Event>.self)
        return machine.current.map(read) ?? machine.features?.chance
    }

    /// Sets what a countdown of a state that is entered by a transition back starts with, in place of what it had left.
    package func setLeft(_ remaining: Duration, of signal: F.Signal) {
        machine.createdFeatures.requests.returning?.left.append((signal.rawValue, remaining))
    }

    /// Records that the step has drawn a value. Such a step is recorded, even if it changes nothing else.
    package func recordDraw() { machine.hasAdjustments = true }

    /// Requests an operation on a timer of the present state. The operation is carried out at the end of the step, if the step
    /// keeps the state and is not refused.
    package func operate(_ timer: TimerID, _ adjustment: TimerAdjustment) {
        machine.addAdjustment(timer, adjustment)
    }

    /// Posts an event to the machine itself: the event is sent after the present step was made and reported. If the step is
    /// refused, the event is not sent.
    public func post(_ event: String, _ arguments: [Member] = []) {
        machine.addPost(event, arguments)
    }
}
