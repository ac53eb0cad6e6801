internal import Timers

/// A flow: the states of a session, its events, and the throwing selector that maps them to transitions.
///
/// The state is an enum whose cases carry the data of the state, including its timers. The event is an enum.
/// `select` takes both and either returns a transition or throws. Running the transition brings the machine
/// into a new state. See `Game` for a flow that reads like its table.
public protocol Flow {
    associatedtype State
    /// The names of the states, one case for each state.
    associatedtype StateName: RawRepresentable<String>, CaseIterable, Equatable
    associatedtype Event: FlowEvent
    associatedtype Effect: FlowEffect
    typealias Signal = Event.Signal

    /// The name by which clients select the flow.
    static var name: String { get }
    /// The version of the flow's rules, counted from 1. The author raises it when a change of the rules alters
    /// the behaviour of open sessions. Clients see it with each session.
    static var version: Int { get }
    /// The events that clients may send, in the order in which clients see them.
    static var events: [EventSchema<Event>] { get }
    /// The state of a session that is opened without a given state.
    static var initial: StateName { get }
    /// The final states: they have no timers and refuse every event.
    static var finals: [StateName] { get }
    /// The events, without arguments, that mean that the link to an input device was lost, and that it is back.
    /// Nil if the flow has no such event. They are sent to the sessions in which the device plays, unless the
    /// configuration names other events.
    static var deviceLost: EventSchema<Event>? { get }
    static var deviceFound: EventSchema<Event>? { get }

    /// Returns the transition for an event in a state, or throws the reason for its refusal. It must not have
    /// side effects, because the machine may call it at any time only to find out what would happen.
    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self>
    /// Returns a state's name and data, from which `entering` can make the state again.
    func scene(_ state: State) -> StateDescription<StateName>
    /// Returns the transition into a state, given its name and data. Used when a session is opened in a state,
    /// when an operator moves it to one, and when it is restored.
    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self>
    /// Creates the hooks of a new machine of this flow.
    func hooks() -> [any Hook]
}

extension Flow {
    public static var version: Int { 1 }
    public static var finals: [StateName] { [] }
    public static var deviceLost: EventSchema<Event>? { nil }
    public static var deviceFound: EventSchema<Event>? { nil }
    public func hooks() -> [any Hook] { [] }

    /// Returns a transition into a new state: the timers of the old state end, and `state` makes the new state
    /// with its own timers. If `state` throws, nothing changes. The effects are requested in order.
    @inlinable public func enter(
        _ effect: Effect? = nil, _ more: Effect...,
        state: @escaping (Entry<Self>) throws(Reason) -> State
    ) -> Transition<Self> {
        Transition(kind: .enter, effect: effect, more: more.isEmpty ? nil : more, make: state)
    }

    /// Returns a transition that stays in the state: its timers run on, `state` may carry changed data (and
    /// must carry the timers of the old state), and effects may be requested.
    @inlinable public func keep(
        _ effect: Effect? = nil, _ state: State? = nil, more: [Effect]? = nil
    )
        -> Transition<Self>
    {
        guard let state else { return Transition(stateless: .stay, effect: effect, more: more) }
        return Transition(kind: .keep, effect: effect, more: more) { _ throws(Reason) in state }
    }
}

/// An event of a flow.
public protocol FlowEvent {
    /// The events that a state's own timers send. This is a type of its own, so that the machine can refuse
    /// these names from every other sender.
    associatedtype Signal: RawRepresentable<UInt8>, CaseIterable
    /// Returns a signal as an event of the flow.
    static func due(_ signal: Signal) -> Self
}

/// An effect that a transition requests from the surrounding program, such as showing a screen or opening a
/// lock.
public protocol FlowEffect {
    var name: String { get }
    var arguments: [Member] { get }
}

extension FlowEffect {
    @inlinable public var arguments: [Member] { [] }
}

extension FlowEffect where Self: RawRepresentable<String> {
    @inlinable public var name: String { rawValue }
}
