internal import Timers

/// A flow: the states and the events of a session, and a selector. The selector decides what each event does in each state.
///
/// The state is an enum whose cases carry the data of the state, including its timers. The event is an enum.
/// The selector, `select`, takes a state and an event, and either returns a transition or throws. The machine then carries
/// the transition out: it enters a state, keeps the present state, or defers the event. `Game` in the module ShippedFlows is
/// an example.
///
/// The properties that can be derived from the flow's types have defaults, such as the name and the list of states. In a
/// `ValueFlow`, `describe` and `entering` have defaults, too, if the state is a plain enum (`StateName == State`) or if all
/// states are listed in a `StateTable`.
public protocol Flow {
    associatedtype State
    /// The names of the states, one case for each state.
    associatedtype StateName: RawRepresentable<String>, Equatable
    associatedtype Event: FlowEvent
    typealias Signal = Event.Signal
    typealias Effect = Event.Effect
    /// The result of an accepted event. The alias is a member of the protocol, because a type of this name at the top level would
    /// make `Transition` of SwiftUI ambiguous. In a file that imports SwiftUI, write `FlowTransition`.
    typealias Transition<F: Flow> = FlowTransition<F>
    /// The error of a typed `send`, as a short name: `do throws(Game.Refusal)`.
    typealias Refusal = GameFlow.Refusal<State, Event>

    /// The name by which clients select the flow: 1 to 64 characters without blanks, as the names of states, events and signals.
    /// Default: the type's name, beginning with a small letter.
    var name: String { get }
    /// The version of the flow's rules, counted from 1. The author raises it when a change of the rules alters
    /// the behaviour of open sessions. Clients see it with each session.
    var version: Int { get }
    /// All states, in the order in which clients see them. Default: the cases of `StateName`.
    var stateNames: [StateName] { get }
    /// The events that clients may send, in the order in which clients see them. Default: the cases of an
    /// event type that is `CaseIterable`.
    var events: [EventSchema<Event>] { get }
    /// The signals of timers, in the order of their raw values. Default: the cases of `Signal`.
    var signals: [(name: String, signal: Signal)] { get }
    /// The state of a session that is opened without a given state. Default: the first case of `StateName`.
    ///
    /// - Precondition: `StateName` has a case.
    var initial: StateName { get }
    /// The final states: they have no timers and refuse every event.
    var finals: [StateName] { get }
    /// The event that is sent to a session when the link to one of its input devices, such as a buzzer, is lost. The event has
    /// no arguments. Nil if the flow has no event for this. A configuration may name another event.
    var deviceLost: EventSchema<Event>? { get }
    /// The event that is sent to the session when the lost link to an input device works again. The event has no arguments. Nil
    /// if the flow has no event for this. A configuration may name another event.
    var deviceFound: EventSchema<Event>? { get }

    /// The selector. Returns the transition for an event in a state, or throws the reason why the event is refused. The
    /// selector must not have side effects: it is also called only to find out what an event would do.
    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self>
    /// Returns a state's name and data, from which `entering` can make the state again.
    func describe(_ state: State) -> StateDescription<StateName>
    /// Returns the transition into a state, given its name and data. Used when a session is opened in a state, when an operator
    /// moves a session to another state, and when a session is restored.
    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self>
    /// The states in which `select` may return a transition back. A machine keeps the state from which such a state was entered,
    /// with its data and timers. Default: none.
    var statesWithBack: [StateName] { get }
    /// Whether the state may take the event with other arguments if `select` refuses it with those of `event`. `accepts` lists such
    /// an event. Default: true.
    func mayTake(_ event: Event, in state: State) -> Bool
    /// Returns the transition that enters a state again, for `back`, the transition back that `select` has returned for an event in
    /// `state`. `place` is the state with its data as they were. Default: the state is entered with these data, and requests the
    /// effects of `back`. The machine sets the timers as they were.
    func returning(
        _ back: Transition<Self>, to place: StateRecord, from state: State, _ event: Event
    ) throws(Reason) -> Transition<Self>
    /// Whether transitions draw random values with `Entry.random(in:)`, `randomElement(of:)` or `shuffled(_:)`. Each session then
    /// has a seed, which is recorded. Default: false.
    var drawsRandomValues: Bool { get }
    /// Creates the hooks of a new machine of this flow.
    func hooks() -> [Hook<State, Event>]
    /// Predicates on a transition, given its state, event and next state. If a predicate returns false, the event is refused as
    /// invalid.
    func validators() -> [Validator<State, Event>]
    /// Statements that must hold in every state of every session. Lint, races and scenarios check each invariant in every state
    /// that they reach. Lint and races report the shortest path to a state in which an invariant does not hold. `MachineTest`
    /// of the module GameFlowTesting also checks invariants. A running session does not check them.
    var invariants: [Invariant<State>] { get }
    /// The values that an operator may set in the configuration, or when a session is opened. Default: no values.
    var settings: [FlowSetting<Self>] { get }
    /// Titles, notes, and the data that players do not see. Default: names are shown unchanged, and nothing is hidden.
    var presentation: FlowPresentation { get }
    /// The text of the flow file, if the flow is not compiled into the program. Default: nil.
    var source: FlowSource? { get }
    /// The flow without its types, for `Sessions`. Use the default.
    ///
    /// This property is a requirement of the protocol, so that it runs the specialised code of the flow's own module. That is
    /// also true for a flow in an `[any Flow]`. An `AnyFlow` that is created directly from an `any Flow` takes several times as
    /// long for each event.
    var anyFlow: AnyFlow { get }
}

/// A flow that can be created without arguments. A `SpyMachine` of such a flow, for tests, needs no arguments either.
public protocol DefaultFlow: Flow {
    init()
}

/// A predicate on a transition: the present state, the event and the next state.
public typealias Validator<State, Event> = (_ from: State, _ event: Event, _ to: State) -> Bool

/// A statement that must hold in every state of every session of a flow.
public struct Invariant<State> {
    /// The invariant as a sentence for reports: "a team that has won has no time left".
    public let sentence: String
    /// What is wrong in a state that does not fulfil the invariant, as a sentence for reports; nil if the state fulfils it.
    let breach: (State) -> String?

    /// Creates an invariant; `holds` returns whether the state fulfils it.
    public init(_ sentence: String, _ holds: @escaping (State) -> Bool) {
        self.sentence = sentence
        breach = { holds($0) ? nil : sentence }
    }

    /// Creates an invariant whose sentence depends on the state that breaks it. `breach` returns this sentence; nil if the state
    /// fulfils the invariant.
    package init(_ sentence: String, breach: @escaping (State) -> String?) {
        (self.sentence, self.breach) = (sentence, breach)
    }
}

/// An invariant of a flow that a state breaks.
@usableFromInline package struct InvariantBreach {
    /// The invariant's index among those of the flow. Its sentence can be another one in another state.
    package let index: Int
    /// What is wrong in the state, for reports.
    package let sentence: String
}

extension Flow {
    public var name: String {
        let name = "\(Self.self)"
        return name.prefix(1).lowercased() + name.dropFirst()
    }
    public var version: Int { 1 }
    public var finals: [StateName] { [] }
    public var signals: [(name: String, signal: Signal)] {
        Signal.allCases.map { ("\($0)", $0) }
    }
    public var statesWithBack: [StateName] { [] }
    public func mayTake(_ event: Event, in state: State) -> Bool { true }
    public var drawsRandomValues: Bool { false }
    public func returning(
        _ back: Transition<Self>, to place: StateRecord, from state: State, _ event: Event
    ) throws(Reason) -> Transition<Self> {
        guard let name = StateName(rawValue: place.state) else { throw .unknownState }
        let entering = try entering(name, Arguments(recorded: place.data))
        return Transition(
            kind: .enter, effect: back.effect, more: back.more, make: entering.make)
    }
    public func hooks() -> [Hook<State, Event>] { [] }
    public func validators() -> [Validator<State, Event>] { [] }
    public var invariants: [Invariant<State>] { [] }
    public var settings: [FlowSetting<Self>] { [] }
    public var presentation: FlowPresentation { FlowPresentation() }
    public var source: FlowSource? { nil }
    public var deviceLost: EventSchema<Event>? { nil }
    public var deviceFound: EventSchema<Event>? { nil }
    @inlinable public var anyFlow: AnyFlow { AnyFlow(self) }

    /// Returns a transition into a new state: the timers of the old state end, and `state` makes the new state
    /// with its own timers. If `state` throws, nothing changes. The effects are requested in order; `more` are those after the
    /// first.
    @inlinable public func enter(
        _ effect: Effect? = nil, _ more: Effect...,
        state: @escaping (Entry<Self>) throws(Reason) -> State
    ) -> Transition<Self> {
        Transition(kind: .enter, effect: effect, more: more.isEmpty ? nil : more, make: state)
    }

    /// Returns a transition back: it enters the state from which the present state was entered by an event, with its data and
    /// timers as they were at that moment. Without such a state, the event is refused as `noTransition`. The present state must be among
    /// `statesWithBack`. The effects are as for `enter`.
    @inlinable public func back(_ effect: Effect? = nil, _ more: Effect...) -> Transition<Self> {
        Transition(stateless: .back, effect: effect, more: more.isEmpty ? nil : more)
    }

    /// Returns a transition that stays in the state: the timers run on, and effects may be requested. `state` may carry changed
    /// data, and must carry the timers of the old state; nil means that the data do not change. `more` are the effects after
    /// the first.
    @inlinable public func keep(
        _ effect: Effect? = nil, _ state: State? = nil, more: [Effect]? = nil
    )
        -> Transition<Self>
    {
        guard let state else { return Transition(stateless: .stay, effect: effect, more: more) }
        return Transition(kind: .keep, effect: effect, more: more) { _ throws(Reason) in state }
    }
}

extension Flow where StateName: CaseIterable {
    public var stateNames: [StateName] { Array(StateName.allCases) }
    public var initial: StateName { StateName.allCases.first! }
}

extension Flow where Event: CaseIterable {
    public var events: [EventSchema<Event>] { Event.allCases.map { EventSchema($0) } }
}

/// A state that is its own name: an enum of texts, without data.
extension Flow where StateName == State {
    public func describe(_ state: State) -> StateDescription<StateName> { StateDescription(state) }
}

/// An event of a flow.
public protocol FlowEvent {
    /// The events that a state's own timers send. They have a type of their own, so that the machine can refuse their names
    /// from every other sender.
    associatedtype Signal: RawRepresentable<UInt8>, CaseIterable = NoSignal
    /// The effects: what transitions ask the surrounding program to do.
    associatedtype Effect: FlowEffect = NoEffect
    /// Returns a signal as an event of the flow.
    static func due(_ signal: Signal) -> Self
}

/// The signals of a flow without timers.
public struct NoSignal: RawRepresentable, CaseIterable, Sendable {
    public static var allCases: [NoSignal] { [] }
    public var rawValue: UInt8 { 0 }
    /// There is no signal: the result is always nil.
    public init?(rawValue: UInt8) { return nil }
}

extension FlowEvent where Signal == NoSignal {
    /// Never called: there is no value of `NoSignal`.
    public static func due(_ signal: NoSignal) -> Self {
        preconditionFailure("a NoSignal cannot exist")
    }
}

/// An effect that a transition requests from the surrounding program, such as showing a screen or opening a
/// lock. Default: the case's name, without arguments. Equal effects must have equal names and arguments, because their
/// records may be cached.
public protocol FlowEffect {
    var name: String { get }
    var arguments: [Member] { get }
}

extension FlowEffect {
    public var name: String { String("\(self)".prefix { $0 != "(" }) }
    @inlinable public var arguments: [Member] { [] }
}

extension FlowEffect where Self: RawRepresentable<String> {
    @inlinable public var name: String { rawValue }
}

/// The effects of a flow that requests none.
public enum NoEffect: FlowEffect {}
