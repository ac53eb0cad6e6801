public import GameFlow
internal import Timers

/// Stands in for a machine: it records the events that it receives and stays in its state.
///
///     let spy = SpyMachine<Game>()
///     button.tap(spy)
///     #expect(spy.received == [.startPlaying])
///
/// Code that is tested with it takes `some MachineProtocol<Game.State, Game.Event>`.
public final class SpyMachine<F: Flow>: MachineProtocol {
    public typealias State = F.State
    public typealias Event = F.Event

    /// The events that were sent, in order, including refused ones.
    public private(set) var received: [Event] = []
    /// Called for each event: returns nil to accept it, or a reason to refuse it. By default every event is accepted.
    public var refuse: (Event) -> Reason? = { _ in nil }
    private let machine: StateMachine<State, Event>

    /// Creates a spy in the flow's initial state.
    ///
    /// - Precondition: The flow can enter its initial state.
    public init(_ flow: F) { machine = StateMachine(flow, on: VirtualClock()) }

    public var state: State { machine.state }

    /// Changes the state of the spy, given the name and the data of the new state.
    public func show(_ name: F.StateName, _ data: [Member] = []) throws(Reason) {
        try machine.goto(name.rawValue, data, from: .program)
    }

    @discardableResult public func send(_ event: Event) throws(Refusal<State, Event>) -> State {
        received.append(event)
        if let reason = refuse(event) { throw Refusal(reason, state, event) }
        return state
    }

    public func can(_ event: Event) -> Bool { refuse(event) == nil }
}

extension SpyMachine where F: DefaultFlow {
    /// Creates a spy in the initial state of the flow that `F()` returns.
    public convenience init() { self.init(F()) }
}
