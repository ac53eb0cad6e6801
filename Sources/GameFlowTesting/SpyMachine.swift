public import GameFlow
internal import Timers

/// Replaces a machine in a test of code that sends events: the spy records the events and stays in its state.
///
///     let spy = SpyMachine<Game>()
///     button.tap(spy)
///     #expect(spy.received == [.startPlaying])
///
/// The tested code must take `some MachineProtocol<Game.State, Game.Event>`, to which machines and spies conform.
public final class SpyMachine<F: Flow>: MachineProtocol {
    public typealias State = F.State
    public typealias Event = F.Event

    /// The events that were sent, in order, including refused ones.
    public private(set) var received: [Event] = []
    /// Decides on each event of `send` and `can`: returns nil to accept it, or a reason to refuse it. By default every event is
    /// accepted.
    public var refuse: (Event) -> Reason? = { _ in nil }
    /// Holds the state of the spy, and is never sent an event.
    private let machine: StateMachine<State, Event>

    /// Creates a spy in the flow's initial state.
    ///
    /// - Precondition: The flow can enter its initial state.
    public init(_ flow: F) { machine = StateMachine(flow, on: VirtualClock()) }

    public var state: State { machine.state }

    /// Puts the spy into the state with this name and these data, for the tested code to see. Throws if the data are invalid.
    public func show(_ name: F.StateName, _ data: [Member] = []) throws(Reason) {
        try machine.goto(name.rawValue, data, from: .program)
    }

    /// Records the event. Returns the state, which has not changed, or throws the refusal.
    @discardableResult public func send(_ event: Event) throws(Refusal<State, Event>) -> State {
        received.append(event)
        if let reason = refuse(event) { throw Refusal(reason, state, event) }
        return state
    }

    /// Whether `send` would accept the event; the event is not recorded.
    public func can(_ event: Event) -> Bool { refuse(event) == nil }
}

extension SpyMachine where F: DefaultFlow {
    /// Creates a spy in the initial state of the flow that `F()` returns.
    public convenience init() { self.init(F()) }
}
