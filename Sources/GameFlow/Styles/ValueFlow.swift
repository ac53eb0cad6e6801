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
            for timer in entry.flow.timers(state) { timer.set(in: entry) }
            return state
        }
    }
}

/// A state that is its own name needs nothing else to be entered.
extension ValueFlow where StateName == State {
    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(nil, name)
    }
}
