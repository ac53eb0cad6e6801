public import Timers

/// A flow without its types: its functions as closures, and its names, events and states as values.
///
/// The closures are created where the compiler knows the flow's types, so their code is specialised. If the code of a generic
/// machine is called through an `any` or an overridden method, it is not specialised, and runs at a third of the speed.
public final class AnyFlow {
    public let name: String
    /// The version of the flow's rules; 1 if the flow declares none.
    public let version: Int
    /// The text of the flow file; nil if the flow is compiled into the program.
    public let source: FlowSource?
    public let presentation: FlowPresentation
    /// The names of the data, timers and events that only operators see; nil if nothing is hidden.
    public let hidden: HiddenNames?
    /// The flow's settings, with their present values.
    public let settings: [Setting]
    /// The settings that `with(settings:)` changed, each with its new value as it is written in a configuration.
    public private(set) var changedSettings: [Member] = []
    /// The settings before the first change; nil if none was changed.
    private var originalSettings: [Setting]?
    /// Whether some events may be sent only by some kinds of sources.
    @usableFromInline let restrictsSources: Bool
    /// Returns the flow with other values of some settings, for `with(settings:)`.
    @usableFromInline let withSettings: ([Member]) throws(Reason) -> AnyFlow
    public let events: [Event]
    @usableFromInline let eventIndices: NameTable
    /// A record without arguments for each event, at the event's index.
    @usableFromInline let eventRecords: [EventRecord]
    /// The names of the signals that the flow's timers send.
    public let signals: [String]
    /// The raw values of `signals`, in the same order. They are the tags of the signals' timers.
    @usableFromInline package let signalTags: [UInt8]
    public let initial: String
    public let finals: [String]
    /// The name of the event that is sent when the link to an input device is lost; nil if the flow has no such event. See
    /// `Flow.deviceLost`.
    public let deviceLost: String?
    /// The name of the event that is sent when the link to an input device is back; nil if the flow has no such event.
    public let deviceFound: String?
    public let stateNames: [String]
    @usableFromInline let stateIndices: NameTable

    /// A setting of the flow, with its present value; see `FlowSetting`.
    public struct Setting: Equatable, Sendable {
        public let name: String
        /// The type's name for clients: `duration`, `integer`, `boolean` or `text`.
        public let type: String
        /// The value as it is written in a configuration.
        public let value: String
    }

    /// An event that clients may send.
    public struct Event: Sendable {
        public let name: String
        public let parameters: [Field]
        /// The lists of arguments with which tools try the event; see `EventSchema`.
        public let samples: [[Member]]
        /// Whether the samples are solutions that players have to find. Such samples are hidden from clients.
        public let hasSecretSamples: Bool
        /// The kinds of sources that may send the event; empty if all may.
        public let allowedSources: [String]

        @usableFromInline init(
            name: String, parameters: [Field], samples: [[Member]], hasSecretSamples: Bool,
            allowedSources: [String]
        ) {
            (self.name, self.parameters, self.allowedSources) = (name, parameters, allowedSources)
            (self.samples, self.hasSecretSamples) = (samples, hasSecretSamples)
        }
    }

    /// The fields and the sample data of a state.
    @usableFromInline struct StateData {
        let fields: [Field]
        let samples: [[Member]]
        /// The reason for which the state refused a sample: the most recent one if it refused several, nil if it refused none.
        let refusal: Reason?
    }

    /// The schemas of the events: an `EventSchemaList`.
    @usableFromInline let eventSchemas: AnyObject
    @usableFromInline let makeStateData: () -> [String: StateData]
    private lazy var stateData = makeStateData()
    /// The signals as events, each at the index that equals its raw value.
    @usableFromInline let signalEvents: [EventRecord]
    /// The mistakes in the event schemas that the author has to correct.
    @usableFromInline let schemaMistakes: [String]
    @usableFromInline let makeMachine:
        (
            AnyFlow, TimerQueue, EventQueue, (any MachineObserver)?, [any StepHook],
            UnhandledEventPolicy, Bool
        ) -> AnyMachine
    /// Handles the event with this index in `events`.
    @usableFromInline let send: (AnyMachine, Int, [Member], Source) throws(Reason) -> Void
    /// Enters a state by its name, with data whose names were checked.
    @usableFromInline let enter:
        (AnyMachine, String, Arguments, Step.Kind, Source) throws(Reason) -> Void
    /// Returns the names of the events that a machine's present state takes or defers for some arguments.
    @usableFromInline let accepts: (AnyMachine) -> [String]
    /// Returns the sentences of the invariants that a machine's present state breaks.
    @usableFromInline let brokenInvariants: (AnyMachine) -> [String]
    @usableFromInline let restoreState: (AnyMachine, MachineSnapshot) throws(Reason) -> Void
    /// A model of the flow, found by calling its selector. Computed once; see `FlowSurvey`.
    public private(set) lazy var survey = FlowSurvey(self).states
    /// The faults that the author of the flow must correct, one sentence each. Computed once.
    public private(set) lazy var mistakes = FlowMistakes(
        self, refusals: stateData.compactMapValues(\.refusal)
    ).all

    /// Creates the type-erased form of a flow.
    @inlinable public convenience init<F: Flow>(_ flow: F) { self.init(flow, Engine(flow)) }

    /// Creates the type-erased form of a flow that already has an engine, for programs that also create typed machines of
    /// the flow.
    ///
    /// The closures that handle an event read what they need from the machine. They capture nothing, because each call of a
    /// closure counts the references to the values that it captures.
    @inlinable public init<F: Flow>(_ flow: F, _ engine: Engine<F.State, F.Event>) {
        typealias Machine = StateMachine<F.State, F.Event>
        let schemas = flow.events
        eventSchemas = EventSchemaList<F>(schemas)
        name = flow.name
        version = flow.version
        events = schemas.map {
            Event(
                name: $0.name, parameters: $0.parameters, samples: $0.samples.map(\.arguments),
                hasSecretSamples: $0.hasSecretSamples, allowedSources: $0.allowedSources)
        }
        let presentation = flow.presentation
        (source, self.presentation) = (flow.source, presentation)
        hidden = Self.hidden(by: presentation)
        settings = Self.settings(of: flow)
        withSettings = { members throws(Reason) in try flow.with(settings: members).anyFlow }
        restrictsSources = schemas.contains { !$0.allowedSources.isEmpty }
        schemaMistakes = schemas.compactMap(\.mistake)
        eventRecords = schemas.map { EventRecord($0.name) }
        eventIndices = NameTable(schemas.map(\.name))
        signals = flow.signals.map(\.name)
        signalTags = flow.signals.map(\.signal.rawValue)
        signalEvents = Self.signalEvents(flow)
        initial = flow.initial.rawValue
        finals = flow.finals.map(\.rawValue)
        stateNames = flow.stateNames.map(\.rawValue)
        (deviceLost, deviceFound) = (flow.deviceLost?.name, flow.deviceFound?.name)
        stateIndices = NameTable(stateNames)
        makeStateData = {
            // `mistakes` reports two states with the same name; they must not trap here.
            Dictionary(
                flow.stateNames.map { ($0.rawValue, Self.stateData(of: $0, flow)) },
                uniquingKeysWith: { first, _ in first })
        }
        makeMachine = { anyFlow, timers, queue, observer, hooks, unhandled, isDryRun in
            Machine(
                anyFlow, engine, on: timers, queue, observer: observer,
                hooks: hooks, typedHooks: isDryRun ? [] : flow.hooks(),
                validators: flow.validators(), unhandled: unhandled)
        }
        send = { machine, index, arguments, source throws(Reason) in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let list = unsafeDowncast(machine.flow.eventSchemas, to: EventSchemaList<F>.self)
            let event = try list.schemas[index].read(arguments)
            try machine.take(
                machine.engine.box(F.self), event, EventContext(.event(index), source, arguments))
        }
        enter = { machine, state, data, kind, source throws(Reason) in
            guard let name = F.StateName(rawValue: state) else { throw .unknownState }
            let machine = unsafeDowncast(machine, to: Machine.self)
            let box = machine.engine.box(F.self)
            try machine.enterByCommand(box, box.flow.entering(name, data), kind, source)
        }
        accepts = { machine in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let box = machine.engine.box(F.self)
            return schemas.filter { $0.samples.contains { machine.accepts(box, $0.event) } }
                .map(\.name)
        }
        brokenInvariants = { machine in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let invariants = machine.engine.box(F.self).flow.invariants
            return invariants.isEmpty ? [] : machine.brokenInvariants(among: invariants)
        }
        restoreState = { machine, snapshot throws(Reason) in
            let index = machine.flow.stateIndices.index(of: snapshot.place.state)
            let machine = unsafeDowncast(machine, to: Machine.self)
            let name =
                index.map { machine.engine.box(F.self).stateRecords.names[$0] }
                ?? F.StateName(rawValue: snapshot.place.state)
            guard let name else { throw .unknownState }
            try machine.restore(flow, name, snapshot) {
                (event) throws(Reason) in
                guard let index = schemas.firstIndex(where: { $0.name == event.name }) else {
                    throw .unknownEvent
                }
                return (index, try schemas[index].read(event.arguments))
            }
        }
    }

    /// Returns the flow with other values of some settings; each value is written as in a configuration, as a text, a
    /// number or a boolean. Throws `invalid` with the name of a setting that does not exist, or whose value does
    /// not fit.
    public func with(settings members: [Member]) throws(Reason) -> AnyFlow {
        if members.isEmpty { return self }
        let flow = try withSettings(members)
        let original = originalSettings ?? settings
        flow.originalSettings = original
        flow.changedSettings = zip(flow.settings, original).compactMap { new, old in
            new == old ? nil : Member(new.name, new.value)
        }
        return flow
    }

    @usableFromInline static func hidden(by presentation: FlowPresentation) -> HiddenNames? {
        HiddenNames(presentation)
    }

    @usableFromInline static func settings<F: Flow>(of flow: F) -> [Setting] {
        flow.settings.map { Setting(name: $0.name, type: $0.type, value: $0.read(flow)) }
    }

    /// The signals as events, each at the index that equals its raw value. The raw values may have gaps: an index without a
    /// signal has an event without a name.
    @usableFromInline static func signalEvents<F: Flow>(_ flow: F) -> [EventRecord] {
        let signals = flow.signals
        let largest = signals.map { Int($0.signal.rawValue) }.max() ?? -1
        return (0..<largest + 1).map { rawValue in
            EventRecord(signals.first { Int($0.signal.rawValue) == rawValue }?.name ?? "")
        }
    }

    @usableFromInline static func stateData<F: Flow>(of state: F.StateName, _ flow: F) -> StateData
    {
        let (samples, fields, refusal) = Sampler.samples { data throws(Reason) in
            _ = try flow.entering(state, data)
        }
        return StateData(fields: fields, samples: samples, refusal: refusal)
    }

    /// Stands for the flow of a machine that was created without one. It has no names, and refuses every event and
    /// state that is given by name.
    static var placeholder: AnyFlow { AnyFlow() }

    private init() {
        (name, version, events, eventRecords) = ("", 1, [], [])
        (signals, signalTags) = ([], [])
        (initial, finals, stateNames, signalEvents, schemaMistakes) = ("", [], [], [], [])
        (deviceLost, deviceFound) = (nil, nil)
        (source, presentation, settings, hidden) = (nil, FlowPresentation(), [], nil)
        withSettings = { _ throws(Reason) in .placeholder }
        restrictsSources = false
        (eventIndices, stateIndices) = (NameTable([]), NameTable([]))
        eventSchemas = NoEventSchemas()
        makeStateData = { [:] }
        makeMachine = { _, _, _, _, _, _, _ in preconditionFailure("a machine without a flow") }
        send = { _, _, _, _ throws(Reason) in throw .unknownEvent }
        enter = { _, _, _, _, _ throws(Reason) in throw .unknownState }
        accepts = { _ in [] }
        brokenInvariants = { _ in [] }
        restoreState = { _, _ throws(Reason) in throw .unknownState }
    }

    /// Enters a state by its name and data; throws if the flow has no such state or the data do not fit.
    func enterState(
        _ machine: AnyMachine, _ state: String, _ members: [Member], _ kind: Step.Kind,
        _ source: Source
    ) throws(Reason) {
        // An unknown state has no fields to check.
        if let declared = stateData[state] { try members.checkNames(in: declared.fields) }
        try enter(machine, state, Arguments(members), kind, source)
    }

    func restore(_ machine: AnyMachine, _ snapshot: MachineSnapshot) throws(Reason) {
        if !snapshot.place.data.isEmpty, let declared = stateData[snapshot.place.state] {
            try snapshot.place.data.checkNames(in: declared.fields)
        }
        try restoreState(machine, snapshot)
    }

    /// Returns the record of the event that caused a step, as received; nil if an order caused the step.
    func eventRecord(_ context: EventContext) -> EventRecord? {
        switch context.origin {
        case .order: nil
        case .signal(let tag): signalEvent(tag)
        case .event(let index) where context.arguments.isEmpty: eventRecords[index]
        case .event(let index): EventRecord(events[index].name, context.arguments)
        }
    }

    /// Returns the event that a timer with this tag sends; an event without a name if the flow has no such signal.
    public func signalEvent(_ tag: UInt8) -> EventRecord {
        Int(tag) < signalEvents.count ? signalEvents[Int(tag)] : EventRecord("")
    }

    /// Returns the name of the signal that a timer with this tag sends; empty if the flow has no such signal.
    public func signalName(_ tag: UInt8) -> String { signalEvent(tag).name }

    // MARK: for the sessions

    /// Creates a machine of this flow that has not entered a state. Its observer must outlive it.
    ///
    /// `hooks` are called after the flow's own hooks. If `isDryRun` is true, the machine only finds out
    /// what an event would do, and does not call the flow's own hooks.
    public func machine(
        on timerQueue: TimerQueue, _ queue: EventQueue, observer: (any MachineObserver)?,
        hooks: [any StepHook] = [], unhandled: UnhandledEventPolicy = .throw,
        isDryRun: Bool = false
    ) -> AnyMachine {
        makeMachine(self, timerQueue, queue, observer, hooks, unhandled, isDryRun)
    }

    /// Returns the index of the event `name`. Throws `forbidden` if the name is that of a signal, which only timers may
    /// send, and `unknownEvent` for any other name.
    public func event(_ name: String) throws(Reason) -> EventIndex {
        // A flow has about a dozen names, so a linear search is faster than hashing.
        if let index = eventIndices.index(of: name) { return EventIndex(index: index) }
        throw signals.contains(name) ? .forbidden : .unknownEvent
    }

    /// Returns nil if sources of the given kind may send an event; otherwise the kinds that may.
    public func sources(of event: EventIndex, insteadOf kind: Source.Kind) -> [String]? {
        guard restrictsSources else { return nil }
        let allowed = events[event.index].allowedSources
        return allowed.isEmpty || allowed.contains(kind.name) ? nil : allowed
    }

    /// Returns the fields of a state's data.
    public func data(of state: String) -> [Field] { stateData[state]?.fields ?? [] }

    /// Returns sample data of a state: a list for each combination of the fields' samples that the state does not refuse.
    public func dataSamples(of state: String) -> [[Member]] { stateData[state]?.samples ?? [] }
}

/// Stands for the event schemas of `AnyFlow.placeholder`.
private final class NoEventSchemas {}

/// The event schemas of a flow, for the closures of `AnyFlow`.
@usableFromInline final class EventSchemaList<F: Flow> {
    @usableFromInline let schemas: [EventSchema<F.Event>]

    @usableFromInline init(_ schemas: [EventSchema<F.Event>]) { self.schemas = schemas }
}

/// The index of an event in the flow's order. Other modules get it from `AnyFlow.event(_:)`.
public struct EventIndex {
    let index: Int
}
