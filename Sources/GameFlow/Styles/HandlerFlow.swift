/// A flow that handles events by changing the published current state. A handler that assigns a state enters it, even if
/// it is the present state. A handler that only requests an effect stays in the state. A handler that throws refuses the
/// event.
///
/// An observer of the machine (`StateMachine.observe`) receives the current state first and then each change. See
/// `Onboarding` for an example.
public protocol HandlerFlow: ValueFlow {
    /// Handles an event by assigning the next state to `current`. It must not have side effects: `current` is a
    /// copy, which the machine adopts only if the method does not throw.
    func handle(_ event: Event, _ current: inout Published<Self>) throws(Reason)
}

extension HandlerFlow {
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        var current = Published<Self>(state)
        try handle(event, &current)
        return current.isAssigned ? enter(current.effect, current.state) : keep(current.effect)
    }
}

/// The current state, which a handler reads and assigns.
public struct Published<F: Flow> {
    /// The state. Assigning it enters the state.
    public var state: F.State { didSet { isAssigned = true } }
    private(set) var isAssigned = false
    private(set) var effect: F.Effect?

    init(_ state: F.State) { self.state = state }

    /// Requests an effect. If called several times, only the effect of the last call is requested.
    public mutating func ask(_ effect: F.Effect) { self.effect = effect }
}
