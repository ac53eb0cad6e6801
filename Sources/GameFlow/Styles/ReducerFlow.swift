/// A flow as a truth table: `reduce` returns the next state for a state and an event, or nil if no row accepts
/// the event. Further functions validate arguments, request effects, defer events, and mark rows that stay in
/// their state.
///
/// None of the functions may have side effects. The flow `Startup` is an example.
public protocol ReducerFlow: ValueFlow {
    /// Returns the next state; nil if no row accepts the event.
    func reduce(_ state: State, _ event: Event) -> State?
    /// Throws if an argument of the event is invalid. Called only for events that the state takes or defers.
    func validate(_ event: Event) throws(Reason)
    /// Returns the effect that the row requests; nil, by default, for none.
    func effect(_ state: State, _ event: Event) -> Effect?
    /// Returns whether the row stays in its state, so that the timers run on. Otherwise the machine enters the next state, with
    /// new timers, even if that is the same state. If `reduce` returns a state of another name, the machine enters that state,
    /// whatever this function returns.
    func keeps(_ state: State, _ event: Event) -> Bool
    /// Returns whether an event that no row accepts is deferred until a state accepts it.
    func defers(_ state: State, _ event: Event) -> Bool
}

extension ReducerFlow {
    public func validate(_ event: Event) throws(Reason) {}
    public func effect(_ state: State, _ event: Event) -> Effect? { nil }
    public func keeps(_ state: State, _ event: Event) -> Bool { false }
    public func defers(_ state: State, _ event: Event) -> Bool { false }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let next = reduce(state, event) else {
            guard defers(state, event) else { throw .noTransition }
            try validate(event)
            return .deferred
        }
        try validate(event)
        let effect = effect(state, event)
        let stays = keeps(state, event) && describe(next).name == describe(state).name
        return stays ? keep(effect, next) : enter(effect, next)
    }
}
