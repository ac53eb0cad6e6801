public import Timers

/// One flow's functions with its types worked in, and what there is to tell of it.
///
/// A table of closures, made where the compiler sees the flow itself: behind an `any` or an overridden
/// method a generic machine would run unspecialised, at a third of the speed.
public final class AnyFlow {
    public let name: String
    /// The version of the flow's rules; 1 if it names none.
    public let version: Int
    public let events: [Event]
    @usableFromInline let eventNames: NameTable
    /// The events without arguments.
    @usableFromInline let happenings: [EventRecord]
    public let signals: [String]
    public let initial: String
    public let finals: [String]
    public let stateNames: [String]
    @usableFromInline let states: NameTable

    /// An event that may come from outside.
    public struct Event: Sendable {
        public let name: String
        public let parameters: [Field]
        /// Arguments that are as good as any, a combination each.
        public let samples: [[Member]]
        /// Whether clients may not be shown the samples.
        public let hasSecretSamples: Bool

        @usableFromInline init(
            name: String, parameters: [Field], samples: [[Member]], hasSecretSamples: Bool
        ) {
            (self.name, self.parameters) = (name, parameters)
            (self.samples, self.hasSecretSamples) = (samples, hasSecretSamples)
        }
    }

    /// What a state is entered with.
    @usableFromInline struct Data {
        let fields: [Field]
        let samples: [[Member]]
        /// Why a sample was refused, if one was.
        let refusal: Reason?
    }

    /// A `FlowFace`.
    @usableFromInline let face: AnyObject
    @usableFromInline let makeData: () -> [String: Data]
    private lazy var data = makeData()
    @usableFromInline let signalEvents: [EventRecord]
    @usableFromInline let makeMachine:
        (
            AnyFlow, TimerQueue, EventQueue, (any MachineObserver)?, [any Hook],
            UnhandledEventPolicy, Bool
        ) -> AnyMachine
    @usableFromInline let send: (AnyMachine, Int, [Member], Source) throws(Reason) -> Void
    /// Enters a state by its name, with data that are checked to be its own.
    @usableFromInline let enter:
        (AnyMachine, String, Arguments, Step.Kind, Source) throws(Reason) -> Void
    @usableFromInline let accepts: (AnyMachine) -> [String]
    @usableFromInline let restoreState: (AnyMachine, MachineSnapshot) throws(Reason) -> Void
    /// What the flow does, found by asking its selector; computed once. See `FlowSurvey`.
    public private(set) lazy var survey = FlowSurvey(self).states
    /// What its author has to put right before anybody plays it, a sentence each; computed once.
    public private(set) lazy var mistakes = FlowMistakes(
        self, refusals: data.compactMapValues(\.refusal)
    ).all

    /// The face of one flow for programs that know no types of it.
    @inlinable public convenience init<F: Flow>(_ flow: F) { self.init(flow, Engine(flow)) }

    /// The same with the flow's engine, for programs that also make typed machines of it.
    ///
    /// The closures on the path of an event capture nothing, and find what they need in the machine's flow: calling a
    /// closure counts the references to what it captured.
    @inlinable public init<F: Flow>(_ flow: F, _ engine: Engine<F.State, F.Event>) {
        typealias Machine = StateMachine<F.State, F.Event>
        let forms = F.events
        face = FlowFace<F>(forms)
        name = F.name
        version = F.version
        events = forms.map {
            Event(
                name: $0.name, parameters: $0.parameters, samples: $0.samples.map(\.arguments),
                hasSecretSamples: $0.hasSecretSamples)
        }
        happenings = forms.map { EventRecord($0.name) }
        eventNames = NameTable(forms.map(\.name))
        signals = F.Signal.allCases.map { "\($0)" }
        signalEvents = Self.signalEvents(F.self)
        initial = F.initial.rawValue
        finals = F.finals.map(\.rawValue)
        stateNames = F.StateName.allCases.map(\.rawValue)
        states = NameTable(stateNames)
        makeData = {
            Dictionary(
                uniqueKeysWithValues: F.StateName.allCases.map {
                    ($0.rawValue, Self.data(of: $0, flow))
                })
        }
        makeMachine = { face, timers, queue, observer, hooks, unhandled, isRehearsal in
            Machine(
                face, engine, on: timers, queue, observer: observer,
                hooks: Self.joined(isRehearsal ? [] : flow.hooks(), hooks), unhandled: unhandled)
        }
        send = { machine, index, arguments, source throws(Reason) in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let face = unsafeDowncast(machine.flow.face, to: FlowFace<F>.self)
            let event = try face.forms[index].read(arguments)
            try machine.take(
                machine.engine.box(F.self), event, EventContext(.event(index), source, arguments))
        }
        enter = { machine, state, data, kind, source throws(Reason) in
            guard let name = F.StateName(rawValue: state) else { throw .unknownState }
            try unsafeDowncast(machine, to: Machine.self)
                .put(flow, flow.entering(name, data), kind, source)
        }
        accepts = { machine in
            let machine = unsafeDowncast(machine, to: Machine.self)
            return forms.filter { $0.samples.contains { machine.accepts(flow, $0.event) } }
                .map(\.name)
        }
        restoreState = { machine, snapshot throws(Reason) in
            let number = machine.flow.states.index(of: snapshot.place.state)
            let machine = unsafeDowncast(machine, to: Machine.self)
            let name =
                number.map { machine.engine.box(F.self).places.names[$0] }
                ?? F.StateName(rawValue: snapshot.place.state)
            guard let name else { throw .unknownState }
            try machine.restore(flow, name, snapshot) {
                (event) throws(Reason) in
                guard let number = forms.firstIndex(where: { $0.name == event.name }) else {
                    throw .unknownEvent
                }
                return (number, try forms[number].read(event.arguments))
            }
        }
    }

    /// Both lists of hooks; mostly there are none, and nothing is joined.
    @usableFromInline static func joined(_ own: [any Hook], _ more: [any Hook]) -> [any Hook] {
        more.isEmpty ? own : own + more
    }

    /// The signals as events, each at the place of its number; numbers may have gaps.
    @usableFromInline static func signalEvents<F: Flow>(_ flow: F.Type) -> [EventRecord] {
        let numbers = F.Signal.allCases.map { Int($0.rawValue) }
        return (0..<(numbers.max() ?? -1) + 1).map { number in
            EventRecord(F.Signal(rawValue: UInt8(number)).map { "\($0)" } ?? "")
        }
    }

    @usableFromInline static func data<F: Flow>(of state: F.StateName, _ rules: F) -> Data {
        let (samples, fields, refusal) = Sampler.samples { data throws(Reason) in
            _ = try rules.entering(state, data)
        }
        return Data(fields: fields, samples: samples, refusal: refusal)
    }

    func put(
        _ machine: AnyMachine, _ state: String, _ members: [Member], _ kind: Step.Kind,
        _ source: Source
    ) throws(Reason) {
        // An unknown state has no data to check.
        if let known = data[state] { try members.only(known.fields) }
        try enter(machine, state, Arguments(members), kind, source)
    }

    func restore(_ machine: AnyMachine, _ snapshot: MachineSnapshot) throws(Reason) {
        if !snapshot.place.data.isEmpty, let known = data[snapshot.place.state] {
            try snapshot.place.data.only(known.fields)
        }
        try restoreState(machine, snapshot)
    }

    /// The name and arguments of an event as it came; nil of an order.
    func happening(_ context: EventContext) -> EventRecord? {
        switch context.origin {
        case .order: nil
        case .signal(let tag): signalEvent(tag)
        case .event(let number) where context.arguments.isEmpty: happenings[number]
        case .event(let number): EventRecord(events[number].name, context.arguments)
        }
    }

    /// The event that a timer with this tag sends.
    public func signalEvent(_ tag: UInt8) -> EventRecord {
        Int(tag) < signalEvents.count ? signalEvents[Int(tag)] : EventRecord("")
    }

    /// The name of the signal that a timer with this tag sends; empty if the flow has none such.
    public func signalName(_ tag: UInt8) -> String { signalEvent(tag).name }

    // MARK: for the rooms above

    /// A machine of this flow that is in no state yet. Its observer must outlive it. `hooks` come
    /// behind the flow's own; of a rehearsal, in which somebody only tries what would become of
    /// something, the flow's own hear nothing.
    public func machine(
        on timerQueue: TimerQueue, _ queue: EventQueue, observer: (any MachineObserver)?,
        hooks: [any Hook] = [], unhandled: UnhandledEventPolicy = .throw, isRehearsal: Bool = false
    ) -> AnyMachine {
        makeMachine(self, timerQueue, queue, observer, hooks, unhandled, isRehearsal)
    }

    /// The event of that name; refused if it is a signal, which is for timers alone, or no event.
    public func event(_ name: String) throws(Reason) -> EventIndex {
        // A dozen names at most: looking through them is faster than hashing one.
        if let index = eventNames.index(of: name) { return EventIndex(index: index) }
        throw signals.contains(name) ? .forbidden : .unknownEvent
    }

    /// The data of a state, by its name.
    public func data(of state: String) -> [Field] { data[state]?.fields ?? [] }

    /// Data that a state can be entered with, a combination of samples each.
    public func dataSamples(of state: String) -> [[Member]] { data[state]?.samples ?? [] }
}

/// The forms of a flow's events, for the closures of `AnyFlow`.
@usableFromInline final class FlowFace<F: Flow> {
    @usableFromInline let forms: [EventSchema<F.Event>]

    @usableFromInline init(_ forms: [EventSchema<F.Event>]) { self.forms = forms }
}

/// An event of one flow, by its place in the flow's order; only `AnyFlow.event(_:)` makes one.
public struct EventIndex {
    let index: Int
}
