internal import Timers

/// A flow whose states are plain values. The timers of the states are declared in `timers` and not stored in the states.
///
/// The protocols `ReducerFlow`, `TableFlow`, `HandlerFlow` and `DelegateFlow` refine this protocol. They differ in how a flow
/// defines the next state. A flow that reads the remaining time of a timer conforms to `Flow` itself, as `Game` does.
public protocol ValueFlow: Flow {
    /// Returns the timers to set when the state is entered, in the order in which they are set. By default there are none.
    func timers(_ state: State) -> [TimerDeclaration<Signal>]
}

extension ValueFlow {
    public func timers(_ state: State) -> [TimerDeclaration<Signal>] { [] }

    /// Returns a transition into `state` without an effect, with the timers declared for the state.
    public func enter(_ state: State) -> Transition<Self> { enter(nil, state) }

    /// Returns a transition into `state` with an effect, and with the timers declared for the state.
    public func enter(_ effect: Effect?, _ state: State) -> Transition<Self> {
        enter(effect) { entry in
            for timer in entry.flow.timers(state) { timer.set(in: entry) }
            return state
        }
    }
}

/// The default of `entering`, for a flow whose states are names without data.
extension ValueFlow where StateName == State {
    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(name)
    }
}
