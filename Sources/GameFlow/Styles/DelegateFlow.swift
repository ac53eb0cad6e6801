/// A flow whose events request a state, and whose delegate decides whether the state may follow.
///
/// See `Permissions` for an example, and `StateMachine.init(initial:delegate:)` for a machine without a flow type.
public protocol DelegateFlow: ValueFlow where State == StateName {
    associatedtype Delegate: MachineDelegate where Delegate.State == State
    /// The delegate that decides on transitions and is called after them.
    var delegate: Delegate { get }
    /// Returns the state that the event requests; nil if it requests no state.
    func wanted(_ state: State, _ event: Event) -> State?
    /// Returns the effect that the transition requests.
    func effect(from: State, to: State) -> Effect?
}

extension DelegateFlow {
    public func effect(from: State, to: State) -> Effect? { nil }

    public func hooks() -> [Hook<State, Event>] { [delegate.hook()] }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let target = wanted(state, event),
            delegate.shouldTransition(from: state, to: target)
        else { throw .noTransition }
        return enter(effect(from: state, to: target), target)
    }
}
