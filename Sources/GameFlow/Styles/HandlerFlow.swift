/// A flow with a handler that assigns the next state to a `Current` value, as to a variable. If the handler assigns a state,
/// the machine enters this state, even if the machine is already in this state. If the handler only requests an effect, the
/// machine stays in its state. If the handler throws, the event is refused.
///
/// An observer of the machine (`StateMachine.observe`) receives the current state first and then each change. The flow
/// `Onboarding` is an example.
public protocol HandlerFlow: ValueFlow {
    /// The current state, which the handler reads and assigns.
    typealias Current = HandledState<Self>
    /// Handles an event by assigning the next state to `current.state`. The method must not have side effects: `current` holds
    /// a copy of the state, which the machine adopts only if the event is accepted.
    func handle(_ event: Event, _ current: inout Current) throws(Reason)
}

extension HandlerFlow {
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        var current = Current(state)
        try handle(event, &current)
        return current.isAssigned ? enter(current.effect, current.state) : keep(current.effect)
    }
}

/// The current state, which the handler of a `HandlerFlow` reads and assigns.
public struct HandledState<F: Flow> {
    /// At first the machine's present state. The machine enters a state that is assigned here.
    public var state: F.State { didSet { isAssigned = true } }
    /// Whether the handler assigned `state`, even if the new value equals the old value.
    private(set) var isAssigned = false
    private(set) var effect: F.Effect?

    init(_ state: F.State) { self.state = state }

    /// Requests an effect. If called several times, only the effect of the last call is requested.
    public mutating func ask(_ effect: F.Effect) { self.effect = effect }
}
