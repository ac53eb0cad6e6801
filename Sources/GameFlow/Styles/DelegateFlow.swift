/// A flow whose events request a state. The flow's delegate decides whether the requested state may follow the present state.
///
/// The flow `Permissions` is an example. `StateMachine.init(initial:delegate:)` makes a machine of a delegate, without a flow.
public protocol DelegateFlow: ValueFlow where State == StateName {
    associatedtype Delegate: MachineDelegate where Delegate.State == State
    /// The object that decides on transitions, with `shouldTransition`, and is called after them, with `didTransition`.
    var delegate: Delegate { get }
    /// Returns the state that the event requests; nil if the event requests none, and is refused.
    func wanted(_ state: State, _ event: Event) -> State?
    /// Returns the effect that the transition requests; nil, by default, for none.
    func effect(from: State, to: State) -> Effect?
}

extension DelegateFlow {
    public func effect(from: State, to: State) -> Effect? { nil }

    /// The machine calls the delegate's hook after each transition, and the hook calls `didTransition`. A flow that returns other
    /// hooks includes `delegate.hook()`.
    public func hooks() -> [Hook<State, Event>] { [delegate.hook()] }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let target = wanted(state, event),
            delegate.shouldTransition(from: state, to: target)
        else { throw .noTransition }
        return enter(effect(from: state, to: target), target)
    }
}
