internal import GameFlow
internal import Timers

/// A flow that a flow file defines, with one value for each of its settings. At first, the values are the defaults. A session
/// can get a copy of the flow with other values.
struct FileFlow: OutlinedFlow {
    typealias State = FileState
    typealias StateName = FileStateName
    typealias Event = FileEvent

    /// The checked file with the values of the settings; it evaluates the file's rows.
    private(set) var program: FileProgram
    let source: FlowSource?
    /// The outline, which all copies of the flow share.
    private let sharedOutline: SharedOutline
    /// The file, for warnings.
    private let file: FlowFile

    /// Makes the outline at its first use.
    private final class SharedOutline {
        private let definition: FlowFileDefinition
        private(set) lazy var outline = FlowOutline(definition)

        init(_ definition: FlowFileDefinition) { self.definition = definition }
    }

    init(_ file: FlowFile) {
        let definition = file.definition
        program = file.program(settings: definition.settings.map(\.defaultValue))
        source = FlowSource(
            version: file.version, text: file.text, tableFiles: file.tableFiles)
        sharedOutline = SharedOutline(definition)
        self.file = file
    }

    var outline: FlowOutline { sharedOutline.outline }
    var carriedData: [CarriedDatum] {
        program.definition.data.map {
            CarriedDatum(name: $0.wireName, isNullable: $0.type.isOptional)
        }
    }
    var computeScreen: ((StateRecord) -> ShownScreen)? {
        guard program.definition.computesScreens else { return nil }
        return { [program] in program.screen($0) }
    }
    var searchModel: SearchModel {
        SearchModel(program.definition, settings: program.settings)
    }

    var drawScript: DrawScript? { program.drawScript }
    func chance(of state: FileState) -> Chance? { state.chance }

    func warnings(_ flow: AnyFlow) -> [String] { file.allWarnings(flow).map(\.description) }

    var settings: [FlowSetting<FileFlow>] {
        program.definition.settings.enumerated().map { index, setting in
            // The first function returns the setting's value as text. `write` sets the value in `flow`, a copy of the flow.
            FlowSetting(setting.name, type: setting.type.name) { flow in
                setting.fileText(of: flow.program.settings[index])
            } write: { flow, value throws(ArgumentError) in
                var settings = flow.program.settings
                settings[index] = try setting.read(value)
                flow.program = flow.file.program(settings: settings)
            }
        }
    }
    var presentation: FlowPresentation { FlowPresentation(program.definition) }
    func presentation(in language: String) -> FlowPresentation? {
        file.definition(in: language).map(FlowPresentation.init)
    }

    var name: String { program.definition.name }
    var stateNames: [FileStateName] { program.states.map(\.name) }
    var events: [EventSchema<FileEvent>] {
        program.definition.events.enumerated().map { $1.schema($0, program.settings) }
    }
    var signals: [(name: String, signal: FileSignal)] {
        program.definition.timerNames.enumerated().map { ($1, FileSignal(rawValue: UInt8($0))) }
    }
    var initial: FileStateName { program.states[program.definition.start].name }
    var finals: [FileStateName] {
        program.states.filter(\.definition.isFinal).map(\.name)
    }
    var invariants: [Invariant<FileState>] {
        program.definition.invariants.map { invariant in
            // If a condition cannot be evaluated, the invariant counts as broken.
            Invariant(invariant.sentence) { state in
                guard let condition = invariant.conditions.first(where: { $0.state == state.index })
                else { return nil }
                let context = program.context(entering: state.data)
                if (try? condition.expression.isTrue(context)) == true { return nil }
                return (try? condition.why.evaluate(context))?.text ?? invariant.text
            }
        }
    }

    func describe(_ state: FileState) -> StateDescription<FileStateName> {
        StateDescription(program.states[state.index].name, state.members)
    }

    /// Returns the transition for an event in a state; throws the reason if the event is refused.
    func select(_ state: FileState, _ event: FileEvent) throws(Reason) -> Transition<FileFlow> {
        switch event {
        case .due(let signal):
            guard let rows = program.rows(state.index, signal: signal.rawValue) else {
                throw .noTransition
            }
            return try program.transition(rows, program.context(state, []), state)
        case .received(let index, let arguments):
            guard let rows = program.rows(state.index, event: index) else { throw .noTransition }
            try program.check(arguments: arguments, of: index)
            return try program.transition(rows, program.context(state, arguments), state)
        }
    }

    /// Whether one of the rows does not refuse the event.
    func mayTake(_ event: FileEvent, in state: FileState) -> Bool {
        switch event {
        case .due: true
        case .received(let index, _):
            program.rows(state.index, event: index)?.contains { $0.action.isTaken } ?? false
        }
    }

    var statesWithBack: [FileStateName] {
        program.states.filter(\.definition.hasBackRows).map(\.name)
    }

    func returning(
        _ back: Transition<FileFlow>, to place: StateRecord, from state: FileState,
        _ event: FileEvent
    ) throws(Reason) -> Transition<FileFlow> {
        switch event {
        case .due(let signal):
            let rows = program.rows(state.index, signal: signal.rawValue) ?? []
            return try program.returning(to: place, rows, program.context(state, []))
        case .received(let index, let arguments):
            let rows = program.rows(state.index, event: index) ?? []
            return try program.returning(to: place, rows, program.context(state, arguments))
        }
    }

    /// Returns the transition that enters a state, given by its name and data. Used where no event leads into the state: when a
    /// session is opened or restored, and by `goto`.
    func entering(_ name: FileStateName, _ data: Arguments) throws(Reason) -> Transition<FileFlow> {
        guard let index = name.index ?? program.index(of: name.rawValue) else {
            throw .unknownState
        }
        let values = try program.read(data, of: index)
        return Transition(enters: true, effects: []) { [program] entry throws(Reason) in
            let chance = program.drawScript.flatMap { _ in entry.chance(of: \.chance) }
            return try program.makeState(index, values, remaining: [], chance, entry)
        }
    }
}
