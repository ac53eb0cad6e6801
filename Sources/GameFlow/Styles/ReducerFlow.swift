/// A flow as a truth table: `reduce` says which state follows from a state and an event, and nil where
/// no row takes it. What an event must look like, which rows ask for what, which events wait, and which
/// rows only beat, is said beside the table, a function each.
///
/// All of them are pure. See `Startup` for one.
public protocol ReducerFlow: ValueFlow {
    /// The state that follows; nil where no row takes the event.
    func reduce(_ state: State, _ event: Event) -> State?
    /// Refuses an event whose arguments could not be; asked only where it is taken or deferred.
    func validate(_ event: Event) throws(Reason)
    /// What the row asks the outside to do.
    func effect(_ state: State, _ event: Event) -> Effect?
    /// Whether the row stays in its state, whose timers run on; else it is entered, also anew. A row
    /// that leads to another state enters it in any case.
    func keeps(_ state: State, _ event: Event) -> Bool
    /// Whether an event that no row takes waits for a state that does.
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
        let stays = keeps(state, event) && scene(next).name == scene(state).name
        return stays ? keep(effect, next) : enter(effect, next)
    }
}
