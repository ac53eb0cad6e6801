/// A `StateMachine`, or a test double such as `SpyMachine` in its place: `some MachineProtocol<Game.State, Game.Event>`.
public protocol MachineProtocol<State, Event>: AnyObject {
    associatedtype State
    associatedtype Event

    /// The present state.
    var state: State { get }
    /// Sends an event and returns the state after it, or throws the refusal.
    @discardableResult func send(_ event: Event) throws(Refusal<State, Event>) -> State
    /// Whether the present state takes or defers the event.
    func can(_ event: Event) -> Bool
}

extension StateMachine: MachineProtocol {}
