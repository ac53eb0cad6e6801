public import GameFlow

/// Replaces a machine without a flow type, in a test of code that sends events: the spy records the events, and shows the
/// state that the test has set.
///
///     let spy = PlainSpyMachine(Screen.login, receiving: Action.self)
///     button.tap(spy)
///     #expect(spy.received == [.next])
///
/// The tested code must take `some MachineProtocol<Screen, Action>`, to which machines and spies conform. `SpyMachine` is for flows.
/// A spy belongs to one actor or task.
public final class PlainSpyMachine<State, Event>: MachineProtocol {
    /// The state that the tested code sees. A test may set it.
    public var state: State
    /// The events that were sent, in order, including refused ones.
    public private(set) var received: [Event] = []
    /// Decides on each event of `send` and `can`: returns nil to accept it, or a reason to refuse it. By default every event is
    /// accepted.
    public var refuse: (Event) -> Reason? = { _ in nil }

    /// Creates a spy that shows `state`, and receives events of the type `events`.
    public init(_ state: State, receiving events: Event.Type = Event.self) { self.state = state }

    /// Records the event. Returns the state, which has not changed, or throws the refusal.
    @discardableResult public func send(_ event: Event) throws(Refusal<State, Event>) -> State {
        received.append(event)
        if let reason = refuse(event) { throw Refusal(reason, state, event) }
        return state
    }

    /// Whether `send` would accept the event; the event is not recorded.
    public func can(_ event: Event) -> Bool { refuse(event) == nil }
}
