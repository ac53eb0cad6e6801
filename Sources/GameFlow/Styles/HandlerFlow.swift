/// A flow that handles events against its published current state: assigning it enters, also where it
/// is the same; asking for an effect alone stays; throwing refuses.
///
/// Whoever follows a machine (`AnyMachine.observe`) gets the current state first and then each change.
/// See `Onboarding` for one.
public protocol HandlerFlow: ValueFlow {
    /// Looks at the event and the current state, and assigns the one that follows. Pure: `current` is
    /// a copy, and becomes the machine's only if nothing is thrown.
    func handle(_ event: Event, _ current: inout Published<Self>) throws(Reason)
}

extension HandlerFlow {
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        var current = Published<Self>(state)
        try handle(event, &current)
        return current.isAssigned ? enter(current.effect, current.state) : keep(current.effect)
    }
}

/// The current state, as a handler sees and assigns it.
public struct Published<F: Flow> {
    /// The state; assigning it enters it.
    public var state: F.State { didSet { isAssigned = true } }
    private(set) var isAssigned = false
    private(set) var effect: F.Effect?

    init(_ state: F.State) { self.state = state }

    /// Asks the outside to do something: one thing, and of several the last.
    public mutating func ask(_ effect: F.Effect) { self.effect = effect }
}
