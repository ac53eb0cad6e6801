internal import Timers

/// A flow whose states are plain values. Their timers are declared in `timers` and not stored in the states.
///
/// The derived styles (`ReducerFlow`, `TableFlow`, `HandlerFlow`, `DelegateFlow`) differ in how they define the
/// next state. A flow that needs the remaining time of a timer implements `Flow` itself, as `Game` does.
public protocol ValueFlow: Flow {
    /// Returns the timers to set when the state is entered, in the order in which they are set.
    func timers(_ state: State) -> [TimerDeclaration<Signal>]
}

extension ValueFlow {
    public func timers(_ state: State) -> [TimerDeclaration<Signal>] { [] }

    /// Returns a transition into `state`, with the timers declared for it.
    public func enter(_ effect: Effect? = nil, _ state: State) -> Transition<Self> {
        enter(effect) { entry in
            for timer in timers(state) { timer.set(in: entry) }
            return state
        }
    }
}

/// The declaration of a state's timer: its kind, its duration and the signal that it sends.
public struct TimerDeclaration<Signal: RawRepresentable<UInt8>> {
    private enum Kind { case countdown, pendulum }

    private let kind: Kind
    private let time: Duration
    private let fires: Signal
    private let afterRestart: AfterRestart

    /// Declares a timer that sends `fires` once, `time` after the state is entered.
    public static func countdown(
        _ time: Duration, _ fires: Signal, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .countdown, time: time, fires: fires, afterRestart: afterRestart)
    }

    /// Declares a timer that sends `fires` each `period`.
    public static func pendulum(
        _ period: Duration, _ fires: Signal, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .pendulum, time: period, fires: fires, afterRestart: afterRestart)
    }

    /// Sets the timer. Its handle is not needed, because the entry owns the timer and the state does not
    /// contain it.
    func set<F: Flow>(in entry: Entry<F>) where F.Signal == Signal {
        switch kind {
        case .countdown: _ = entry.countdown(time, fires, afterRestart: afterRestart)
        case .pendulum: _ = entry.pendulum(time, fires, afterRestart: afterRestart)
        }
    }
}
