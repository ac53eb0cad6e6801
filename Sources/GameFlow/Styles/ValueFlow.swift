internal import Timers

/// A flow whose states are plain values, their timers declared beside them rather than carried.
///
/// The styles below it (`ReducerFlow`, `TableFlow`, `HandlerFlow`, `DelegateFlow`) differ in how they
/// say which state follows; who needs to know what a timer had left writes a `Flow`, as `Game` does.
public protocol ValueFlow: Flow {
    /// The timers that begin when the state is entered, in the order in which they are set.
    func timers(_ state: State) -> [TimerDeclaration<Signal>]
}

extension ValueFlow {
    public func timers(_ state: State) -> [TimerDeclaration<Signal>] { [] }

    /// The answer that leaves the old state for `state`, with the timers declared for it.
    public func enter(_ effect: Effect? = nil, _ state: State) -> Transition<Self> {
        enter(effect) { entry in
            for timer in timers(state) { timer.set(in: entry) }
            return state
        }
    }
}

/// A timer that a state has: what kind, how long, and which signal it sends.
public struct TimerDeclaration<Signal: RawRepresentable<UInt8>> {
    private enum Kind { case countdown, pendulum }

    private let kind: Kind
    private let time: Duration
    private let fires: Signal
    private let afterRestart: AfterRestart

    /// Sends `fires` once, `time` after the state is entered.
    public static func countdown(
        _ time: Duration, _ fires: Signal, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .countdown, time: time, fires: fires, afterRestart: afterRestart)
    }

    /// Sends `fires` each time a `period` is over.
    public static func pendulum(
        _ period: Duration, _ fires: Signal, afterRestart: AfterRestart = .deadline
    ) -> Self {
        Self(kind: .pendulum, time: period, fires: fires, afterRestart: afterRestart)
    }

    /// The entry holds the timer; its name is not needed, for the state carries none.
    func set<F: Flow>(in entry: Entry<F>) where F.Signal == Signal {
        switch kind {
        case .countdown: _ = entry.countdown(time, fires, afterRestart: afterRestart)
        case .pendulum: _ = entry.pendulum(time, fires, afterRestart: afterRestart)
        }
    }
}
