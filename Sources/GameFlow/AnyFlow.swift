public import Timers

/// A flow without its types: its functions as closures, and its names, events and states as values.
///
/// The sessions and the analyses use a flow in this form. The closures are created where the compiler knows the flow's types,
/// so the compiler specialises their code. It cannot specialise code that is called through an `any` or through an overridden
/// method of a generic class; such code runs at a third of the speed.
public final class AnyFlow {
    public let name: String
    /// The version of the flow's rules; 1 if the flow declares none.
    public let version: Int
    /// The text of the flow file; nil if the flow is compiled into the program.
    public let source: FlowSource?
    /// How the flow's names are shown to people: titles, notes, and which names are hidden.
    public let presentation: FlowPresentation
    /// Returns the presentation in another language; nil if the flow does not have its texts in it.
    @usableFromInline let translate: (String) -> FlowPresentation?
    /// What clients see of the flow's states; nil if nothing is hidden and the screens do not depend on the data.
    @usableFromInline package let clientView: ClientView?
    /// The names of the data, timers and events that only operators see; nil if nothing is hidden.
    package var hidden: HiddenNames? { clientView?.hidden }
    /// The flow's settings, with their present values.
    public let settings: [Setting]
    /// The settings that `with(settings:)` changed, each with its new value as it is written in a configuration.
    public private(set) var changedSettings: [Member] = []
    /// The settings before the first change; nil if none was changed.
    private var originalSettings: [Setting]?
    /// Whether some events may be sent only by some kinds of sources.
    @usableFromInline let restrictsSources: Bool
    /// Returns the flow with new values of the settings that are named; `with(settings:)` calls it.
    @usableFromInline let withSettings: ([Member]) throws(Reason) -> AnyFlow
    /// The events that clients may send.
    public let events: [Event]
    /// Finds the index of an event in `events` by its name.
    @usableFromInline let eventIndices: NameTable
    /// A record without arguments for each event, at the event's index in `events`.
    @usableFromInline let eventRecords: [EventRecord]
    /// The names of the signals that the flow's timers send.
    public let signals: [String]
    /// The raw values of `signals`, in the same order. The raw value of a signal is the tag of the timers that send it.
    @usableFromInline package let signalTags: [UInt8]
    /// The name of the state of a session that is opened without a given state.
    public let initial: String
    /// The names of the final states, which have no timers and refuse every event.
    public let finals: [String]
    /// The name of the event that is sent when the link to an input device is lost; nil if the flow has no such event. See
    /// `Flow.deviceLost`.
    public let deviceLost: String?
    /// The name of the event that is sent when the lost link to an input device works again; nil if the flow has no such event.
    public let deviceFound: String?
    public let stateNames: [String]
    /// Finds the index of a state in `stateNames` by its name.
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
        /// The lists of arguments with which the analyses, such as `lint`, try the event; see `EventSchema`.
        public let samples: [[Member]]
        /// Whether the samples are solutions that players have to find. Such samples are hidden from clients.
        public let hasSecretSamples: Bool
        /// The kinds of sources that may send the event, such as `unix` or `session`. Empty if every kind may send the event.
        public let allowedSources: [String]
        /// For how long events of this name wait for each other in a daemon; nil if they do not wait.
        public let collectingTime: Duration?

        @usableFromInline init(
            name: String, parameters: [Field], samples: [[Member]], hasSecretSamples: Bool,
            allowedSources: [String], collectingTime: Duration?
        ) {
            (self.name, self.parameters, self.allowedSources) = (name, parameters, allowedSources)
            self.collectingTime = collectingTime
            (self.samples, self.hasSecretSamples) = (samples, hasSecretSamples)
        }
    }

    /// The fields and the sample data of a state.
    @usableFromInline struct StateData {
        /// The names and types of the data.
        let fields: [Field]
        /// The sample data that the state does not refuse.
        let samples: [[Member]]
        /// Why the state refused the last of the samples that it refused; nil if it refused none.
        let refusal: Reason?
    }

    /// The schemas of the events: an `EventSchemaList<F>`, where `F` is the flow's type.
    @usableFromInline let eventSchemas: AnyObject
    /// Returns the fields and sample data of each state, by the state's name.
    @usableFromInline let makeStateData: () -> [String: StateData]
    /// The result of `makeStateData`. Computed at the first use, because it tries every state with many samples.
    private lazy var stateData = makeStateData()
    /// The signals as events, each at the index that equals its raw value.
    @usableFromInline let signalEvents: [EventRecord]
    /// The mistakes in the event schemas that the author of the flow has to correct; one sentence each.
    @usableFromInline let schemaMistakes: [String]
    /// Creates a machine that has not entered a state. Called by the method `machine(on:_:observer:hooks:unhandled:isDryRun:)`.
    /// The first parameter is this flow; the other parameters are those of the method.
    @usableFromInline let makeMachine:
        (
            AnyFlow, TimerQueue, EventQueue, (any MachineObserver)?, [any StepHook],
            UnhandledEventPolicy, Bool
        ) -> AnyMachine
    /// Whether arguments have the names and types that the event with this index declares.
    @usableFromInline let fits: (Int, [Member]) -> Bool
    /// Whether events of some names wait for each other in a daemon.
    public let collectsEvents: Bool
    /// Handles the event with this index in `events`.
    @usableFromInline let send: (AnyMachine, Int, [Member], Source) throws(Reason) -> Void
    /// Enters a state by its name, because of a command: `open` or `goto`. The names of the data were checked.
    @usableFromInline let enter:
        (AnyMachine, String, Arguments, Step.Kind, Source) throws(Reason) -> Void
    /// Returns the names of the events that a machine's present state takes or defers for some arguments.
    @usableFromInline let accepts: (AnyMachine) -> [String]
    /// Returns the invariants that a machine's present state breaks.
    @usableFromInline let breaches: (AnyMachine) -> [InvariantBreach]
    /// Restores a machine from a snapshot. The names of the data were checked.
    @usableFromInline let restoreState: (AnyMachine, MachineRecord) throws(Reason) -> Void
    /// Returns the flow's outline; nil for a flow that has none.
    @usableFromInline let makeOutline: () -> FlowOutline?
    /// What the flow says about its rows, data and timers; nil for a flow that is written in Swift.
    package private(set) lazy var outline = makeOutline()
    /// The data that every state carries. It is not a part of the outline, which takes long to make for a large flow.
    @usableFromInline let carriedData: [CarriedDatum]
    /// Returns the chance of a machine; nil for a flow that draws nothing.
    @usableFromInline let readChance: ((AnyMachine) -> Chance?)?
    /// The names of the states with a transition back.
    @usableFromInline package let statesWithBack: [String]
    /// What machines without a seed draw from; nil for a flow that draws nothing.
    @usableFromInline package let drawScript: DrawScript?
    /// Whether events can draw random values.
    package var drawsChance: Bool { readChance != nil }
    /// Returns the flow's search model.
    @usableFromInline let makeSearchModel: () -> SearchModel
    /// What the searches (lint, races and paths) need to know of the flow. Computed at the first use.
    package private(set) lazy var searchModel = makeSearchModel()
    /// The survey; nil until it is computed.
    private var computedSurvey: SurveyResult?
    /// What each state does for each event and signal, found by calling the flow's selector with samples. Computed at the first
    /// use; see `FlowSurvey`.
    package var survey: [StateSurvey] { surveyResult.states }
    /// The survey with its effort.
    package var surveyResult: SurveyResult {
        if let computedSurvey { return computedSurvey }
        let result = FlowSurvey.result(of: self)
        computedSurvey = result
        return result
    }
    /// Whether `survey` is computed already. A survey can take some hundred milliseconds, too long for the thread of an event
    /// loop.
    public var isSurveyed: Bool { computedSurvey != nil }
    /// Whether the survey is computed, and a search has looked for the rows that no try of the survey took.
    package var isSearched: Bool {
        computedSurvey.map { $0.isSearched || $0.triedEachRow } ?? false
    }
    /// The mistakes that the author of the flow must correct, one sentence each. Computed at the first use. For a flow file, only
    /// a mistake that prevents the opening of sessions; `warnings` has the others.
    public private(set) lazy var mistakes =
        outline == nil ? FlowMistakes(self).all : FlowMistakes(self).openingMistakes
    /// Possible mistakes in the flow's file, each as a sentence with its position. The flow can be played nevertheless. Empty for
    /// a flow without a file. Computed at the first use, by entering each state with samples of its data.
    public private(set) lazy var warnings = makeWarnings(self)
    /// The mistakes that are found by entering each state with samples of its data, for the warnings about a flow file.
    package var mistakesOfStates: [(state: String, sentence: String)] {
        FlowMistakes(self).ofStates
    }
    /// Returns the warnings about this flow.
    @usableFromInline let makeWarnings: (AnyFlow) -> [String]

    /// Creates the type-erased form of a flow.
    @inlinable public convenience init<F: Flow>(_ flow: F) { self.init(flow, Engine(flow)) }

    /// Creates the form without types of a flow that already has an engine. A program uses this initializer if it also creates
    /// machines with the flow's types.
    ///
    /// The closures that handle an event capture nothing, and read the values that they need from the machine. The reason is
    /// speed: each call of a closure counts the references to its captured values.
    @inlinable public init<F: Flow>(_ flow: F, _ engine: Engine<F.State, F.Event>) {
        typealias Machine = StateMachine<F.State, F.Event>
        let schemas = flow.events
        eventSchemas = EventSchemaList<F>(schemas)
        name = flow.name
        version = flow.version
        events = schemas.map {
            Event(
                name: $0.name, parameters: $0.parameters, samples: $0.samples.map(\.arguments),
                hasSecretSamples: $0.hasSecretSamples, allowedSources: $0.allowedSources,
                collectingTime: $0.collectingTime)
        }
        let presentation = flow.presentation
        (source, self.presentation) = (flow.source, presentation)
        clientView = Self.clientView(of: flow, presentation)
        translate = Self.translator(flow)
        settings = Self.settings(of: flow)
        withSettings = { members throws(Reason) in try flow.with(settings: members).anyFlow }
        restrictsSources = schemas.contains { !$0.allowedSources.isEmpty }
        collectsEvents = schemas.contains { $0.collectingTime != nil }
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
        makeOutline = Self.outlineMaker(flow)
        carriedData = Self.carriedData(of: flow)
        (readChance, drawScript) = Self.chance(of: flow)
        statesWithBack = flow.statesWithBack.map(\.rawValue)
        makeWarnings = Self.warningsMaker(flow)
        makeSearchModel = Self.searchModelMaker(flow, schemas.map { $0.samples.map(\.arguments) })
        makeStateData = {
            // Two states with the same name must not trap here; `mistakes` reports them.
            let limit = Self.sampleLimit(stateCount: flow.stateNames.count)
            return Dictionary(
                flow.stateNames.map { ($0.rawValue, Self.stateData(of: $0, flow, limit)) },
                uniquingKeysWith: { first, _ in first })
        }
        makeMachine = { anyFlow, timers, queue, observer, hooks, unhandled, isDryRun in
            Machine(
                anyFlow, engine, on: timers, queue, observer: observer,
                hooks: hooks, typedHooks: isDryRun ? [] : flow.hooks(),
                validators: flow.validators(), unhandled: unhandled)
        }
        // In the closures below, `box` is the `FlowBox` of the machine: the flow with its types, and values computed from it.
        fits = { index, arguments in (try? schemas[index].read(arguments)) != nil }
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
        // Only what is tried, because the copy of a schema counts a reference for each of its parts.
        let trials = schemas.map { (name: $0.name, events: $0.samples.map(\.event)) }
        accepts = { machine in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let box = machine.engine.box(F.self)
            return machine.accepted(box, among: trials)
        }
        breaches = { machine in
            let machine = unsafeDowncast(machine, to: Machine.self)
            let invariants = machine.engine.box(F.self).flow.invariants
            return invariants.isEmpty ? [] : machine.breaches(of: invariants)
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

    /// Adds the rows that a search took to the survey.
    package func addToSurvey(_ taken: Set<FlowOutline.Row>) {
        var survey = surveyResult
        survey.add(taken)
        computedSurvey = survey
    }

    /// Takes over the survey and the warnings of an equal flow, which another thread has computed.
    package func adopt(_ survey: SurveyResult, warnings: [String]) {
        computedSurvey = survey
        self.warnings = warnings
    }

    /// For each state that refused a sample of its data, the most recent reason.
    var refusals: [String: Reason] { stateData.compactMapValues(\.refusal) }

    /// Returns the flow with other values of some settings. Each value is written as in a configuration: as a text, a number or
    /// a boolean. Throws `invalid` with the name of a setting, if the setting does not exist or its value does not fit.
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

    /// Returns what clients see of the flow's states; nil if that needs no rules.
    @usableFromInline static func clientView<F: Flow>(
        of flow: F, _ presentation: FlowPresentation
    ) -> ClientView? {
        ClientView(HiddenNames(presentation), (flow as? any OutlinedFlow)?.computeScreen)
    }

    /// Returns the function that returns the presentation of a flow in another language.
    @usableFromInline static func translator<F: Flow>(_ flow: F) -> (String) -> FlowPresentation? {
        guard let flow = flow as? any OutlinedFlow else { return { _ in nil } }
        return { flow.presentation(in: $0) }
    }

    /// Returns how the flow is shown in another of its languages; nil if it does not have its texts in that language.
    package func presentation(in language: String) -> FlowPresentation? { translate(language) }

    /// The language in which the flow shows its texts: its setting `language`. Nil if the flow does not have several languages.
    package var language: String? {
        guard presentation.languages.count > 1 else { return nil }
        return settings.first { $0.name == "language" }?.value
    }

    /// Returns the settings of a flow with their present values.
    @usableFromInline static func settings<F: Flow>(of flow: F) -> [Setting] {
        flow.settings.map { Setting(name: $0.name, type: $0.type, value: $0.read(flow)) }
    }

    /// Returns the signals as events, each at the index that equals its raw value. The raw values may have gaps: an index
    /// without a signal has an event without a name.
    @usableFromInline static func signalEvents<F: Flow>(_ flow: F) -> [EventRecord] {
        let signals = flow.signals
        let largest = signals.map { Int($0.signal.rawValue) }.max() ?? -1
        return (0..<largest + 1).map { rawValue in
            EventRecord(signals.first { Int($0.signal.rawValue) == rawValue }?.name ?? "")
        }
    }

    /// Returns the function that makes the outline of a flow, if the flow has one.
    @usableFromInline static func outlineMaker<F: Flow>(_ flow: F) -> () -> FlowOutline? {
        guard let flow = flow as? any OutlinedFlow else { return { nil } }
        return { flow.outline }
    }

    /// Returns the data that every state of a flow carries.
    @usableFromInline static func carriedData<F: Flow>(of flow: F) -> [CarriedDatum] {
        (flow as? any OutlinedFlow)?.carriedData ?? []
    }

    /// Returns the function that reads a machine's chance, and the script of searches; nil for a flow that draws nothing.
    @usableFromInline static func chance<F: Flow>(of flow: F) -> (
        read: ((AnyMachine) -> Chance?)?, script: DrawScript?
    ) {
        if let flow = flow as? any OutlinedFlow {
            guard let script = flow.drawScript else { return (nil, nil) }
            return (chanceReader(flow), script)
        }
        return flow.drawsRandomValues ? ({ $0.features?.chance }, DrawScript()) : (nil, nil)
    }

    private static func chanceReader<F: OutlinedFlow>(_ flow: F) -> (AnyMachine) -> Chance? {
        { machine in
            let machine = unsafeDowncast(machine, to: StateMachine<F.State, F.Event>.self)
            return machine.current.flatMap { flow.chance(of: $0) }
        }
    }

    /// Returns the function that makes the warnings about a flow.
    @usableFromInline static func warningsMaker<F: Flow>(_ flow: F) -> (AnyFlow) -> [String] {
        guard let flow = flow as? any OutlinedFlow else { return { _ in [] } }
        return { anyFlow in flow.warnings(anyFlow) }
    }

    /// Returns the function that makes a flow's search model. `samples` has the samples of each event, for a flow without an
    /// outline.
    @usableFromInline static func searchModelMaker<F: Flow>(_ flow: F, _ samples: [[[Member]]])
        -> () -> SearchModel
    {
        guard let flow = flow as? any OutlinedFlow else {
            return { SearchModel(samples: samples) }
        }
        return { flow.searchModel }
    }

    /// The greatest number of combinations of samples with which each of `stateCount` states is tried.
    @usableFromInline static func sampleLimit(stateCount: Int) -> Int {
        let share = SearchLimit.surveyTries.maximum / max(stateCount, 1)
        return min(max(share, 64), Sampler.limit)
    }

    /// Tries a state with combinations of samples, at most `limit`, and so finds the fields of its data.
    @usableFromInline static func stateData<F: Flow>(
        of state: F.StateName, _ flow: F, _ limit: Int
    ) -> StateData {
        let (samples, fields, refusal) = Sampler.samples(limit) { data throws(Reason) in
            _ = try flow.entering(state, data)
        }
        return StateData(fields: fields, samples: samples, refusal: refusal)
    }

    /// Stands for the flow of a machine that was created without a flow. The placeholder has no names. It refuses every event
    /// and every state that is given by name.
    static var placeholder: AnyFlow { AnyFlow() }

    /// Whether this stands for the flow of a machine without one.
    var isPlaceholder: Bool { stateNames.isEmpty }

    private init() {
        (name, version, events, eventRecords) = ("", 1, [], [])
        (signals, signalTags) = ([], [])
        (initial, finals, stateNames, signalEvents, schemaMistakes) = ("", [], [], [], [])
        (deviceLost, deviceFound) = (nil, nil)
        (source, presentation, settings, clientView) = (nil, FlowPresentation(), [], nil)
        translate = { _ in nil }
        withSettings = { _ throws(Reason) in .placeholder }
        restrictsSources = false
        (eventIndices, stateIndices) = (NameTable([]), NameTable([]))
        eventSchemas = NoEventSchemas()
        makeStateData = { [:] }
        makeOutline = { nil }
        carriedData = []
        (readChance, drawScript, statesWithBack) = (nil, nil, [])
        makeWarnings = { _ in [] }
        makeSearchModel = { SearchModel(samples: []) }
        makeMachine = { _, _, _, _, _, _, _ in
            preconditionFailure("the placeholder of a flow cannot make machines")
        }
        send = { _, _, _, _ throws(Reason) in throw .unknownEvent }
        enter = { _, _, _, _, _ throws(Reason) in throw .unknownState }
        (fits, collectsEvents) = ({ _, _ in false }, false)
        accepts = { _ in [] }
        breaches = { _ in [] }
        restoreState = { _, _ throws(Reason) in throw .unknownState }
    }

    /// Enters a state, given by its name and data. Throws if the flow has no such state, or if the data do not fit.
    func enterState(
        _ machine: AnyMachine, _ state: String, _ members: [Member], _ kind: Step.Kind,
        _ source: Source
    ) throws(Reason) {
        // An unknown state has no fields to check. `enter` throws if the state is unknown.
        if !members.isEmpty, let fields = fields(of: state) {
            try members.checkNames(in: fields)
        }
        try enter(machine, state, Arguments(members), kind, source)
    }

    /// Restores a machine from a snapshot. Throws if the flow does not have the snapshot's state, or if the data do not fit.
    func restore(_ machine: AnyMachine, _ snapshot: MachineRecord) throws(Reason) {
        if !snapshot.place.data.isEmpty, let fields = fields(of: snapshot.place.state) {
            try snapshot.place.data.checkNames(in: fields)
        }
        try restoreState(machine, snapshot)
    }

    /// Returns the record of the event that caused a step, with the arguments as received. Nil if a command such as `goto`
    /// caused the step.
    func eventRecord(_ context: EventContext) -> EventRecord? {
        switch context.origin {
        case .command: nil
        case .signal(let tag): signalEvent(tag)
        case .event(let index) where context.arguments.isEmpty: eventRecords[index]
        case .event(let index): EventRecord(events[index].name, context.arguments)
        }
    }

    /// Returns the event that a timer with this tag sends. If no signal of the flow has this tag, the event has no name.
    public func signalEvent(_ tag: UInt8) -> EventRecord {
        Int(tag) < signalEvents.count ? signalEvents[Int(tag)] : EventRecord("")
    }

    /// Returns the name of the signal that a timer with this tag sends; empty if no signal of the flow has this tag.
    public func signalName(_ tag: UInt8) -> String { signalEvent(tag).name }

    // MARK: for the sessions

    /// Creates a machine of this flow that has not entered a state. The observer must outlive the machine.
    ///
    /// `queue` runs the machine's events; several machines may share it. `hooks` are called after the flow's own hooks;
    /// `unhandled` says what the machine does with an event that no row of the state accepts. If `isDryRun` is true, the
    /// machine only finds out what an event would do, and does not call the flow's own hooks.
    public func machine(
        on timerQueue: TimerQueue, _ queue: EventQueue, observer: (any MachineObserver)?,
        hooks: [any StepHook] = [], unhandled: UnhandledEventPolicy = .throw,
        isDryRun: Bool = false
    ) -> AnyMachine {
        let machine = makeMachine(self, timerQueue, queue, observer, hooks, unhandled, isDryRun)
        if drawsChance, !isDryRun { machine.setSeed(.random(in: .min ... .max)) }
        return machine
    }

    /// Returns the index of the event with this name in `events`. Throws `forbidden` if the name belongs to a signal, which
    /// only timers may send, and `unknownEvent` for any other name.
    public func event(_ name: String) throws(Reason) -> EventIndex {
        // `NameTable` searches linearly. A flow has about a dozen names, for which this is faster than hashing.
        if let index = eventIndices.index(of: name) { return EventIndex(index: index) }
        throw signals.contains(name) ? .forbidden : .unknownEvent
    }

    /// Returns the index of the event whose name has these bytes; nil if the flow has no such event.
    package func event(named name: UnsafeBufferPointer<UInt8>) -> EventIndex? {
        eventIndices.index(of: name).map { EventIndex(index: $0) }
    }

    /// Whether arguments have the names and types that an event declares, or become so by `namingDurations(in:)`.
    package func fits(_ arguments: [Member], _ event: EventIndex) -> Bool {
        if fits(event.index, arguments) { return true }
        let named = arguments.namingDurations(in: events[event.index].parameters)
        return named.map { fits(event.index, $0) } ?? false
    }

    package func schema(of event: EventIndex) -> Event { events[event.index] }

    /// Returns nil if sources of `kind` may send an event. Otherwise returns the kinds of sources that may send the event.
    public func allowedSources(of event: EventIndex, ifForbiddenTo kind: Source.Kind) -> [String]? {
        guard restrictsSources else { return nil }
        let allowed = events[event.index].allowedSources
        return allowed.isEmpty || allowed.contains(kind.name) ? nil : allowed
    }

    /// Returns the fields of a state's data.
    public func data(of state: String) -> [Field] { fields(of: state) ?? [] }

    /// Returns the fields of a state's data; nil if the flow has no such state. Only a flow without an outline is tried for this.
    func fields(of state: String) -> [Field]? {
        outline.map { $0.fields[state] } ?? stateData[state]?.fields
    }

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
public struct EventIndex: Equatable {
    let index: Int
}
