internal import Timers

/// A flow: what a session can be, what can happen to it, and the throwing selector between them.
///
/// The state is an enum whose cases carry what is alive in them, timers included; the event is an enum;
/// `select` looks at both and either names a transition or throws; the transition, once run, leaves the
/// machine in a new state. See `Game` for one that reads as its table.
public protocol Flow {
    associatedtype State
    /// The states' names, a case each.
    associatedtype StateName: RawRepresentable<String>, CaseIterable, Equatable
    associatedtype Event: FlowEvent
    associatedtype Effect: FlowEffect
    typealias Signal = Event.Signal

    /// What clients call the flow.
    static var name: String { get }
    /// The version of the flow's rules, counted from 1: its author raises it when sessions that are open would behave
    /// differently. It is shown with each session.
    static var version: Int { get }
    /// What the outside may send, in the order in which clients are shown it.
    static var events: [EventSchema<Event>] { get }
    /// Where a session begins that is opened without a state.
    static var initial: StateName { get }
    /// The states that end a session's flow: they carry no timers and refuse everything.
    static var finals: [StateName] { get }

    /// Looks, and names a transition or throws. It changes nothing: it may be asked at any time what
    /// would happen.
    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self>
    /// A state's name and data, from which `entering` makes it again.
    func scene(_ state: State) -> StateDescription<StateName>
    /// The way into a state from its name and data, for who opens a session in it or goes to it.
    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self>
    /// The hooks that each machine of this flow has, made anew for it.
    func hooks() -> [any Hook]
}

extension Flow {
    public static var version: Int { 1 }
    public static var finals: [StateName] { [] }
    public func hooks() -> [any Hook] { [] }

    /// The answer that leaves the old state for a new one: old timers end, and `state` makes the new
    /// state with its own. When `state` throws, nothing has happened. The outside is asked for the effects, in order.
    @inlinable public func enter(
        _ effect: Effect? = nil, _ more: Effect...,
        state: @escaping (Entry<Self>) throws(Reason) -> State
    ) -> Transition<Self> {
        Transition(kind: .enter, effect: effect, more: more.isEmpty ? nil : more, make: state)
    }

    /// The answer that stays: data may change (`state`, which carries the old one's timers on), effects may be asked
    /// for, and the timers run on.
    @inlinable public func keep(
        _ effect: Effect? = nil, _ state: State? = nil, more: [Effect]? = nil
    )
        -> Transition<Self>
    {
        guard let state else { return Transition(stateless: .stay, effect: effect, more: more) }
        return Transition(kind: .keep, effect: effect, more: more) { _ throws(Reason) in state }
    }
}

/// What can happen to a flow.
public protocol FlowEvent {
    /// What the state's own timers send. A type of its own, which nobody outside can make: its names
    /// are refused when they come from anyone else.
    associatedtype Signal: RawRepresentable<UInt8>, CaseIterable
    /// A signal, as an event like any other.
    static func due(_ signal: Signal) -> Self
}

/// What a transition may ask the outside to do: show a screen, open a lock.
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
