import FlowAnalysis
import FlowFiles
import GameFlow
import Glibc
import JSONCoding
import Shell
import Support

/// The verbs that analyze flows without a daemon: `lint`, `test`, `races`, `paths` and `graph`.
final class AnalysisCommand {
    /// Whether the results are printed as JSON, for the option `--json`.
    private let isJSON: Bool
    /// The flows that are compiled into the program.
    private let flows: [AnyFlow]
    private let terminal = Terminal.standardOutput
    /// Whether a report was printed.
    private var hasPrinted = false

    init(isJSON: Bool, _ flows: [AnyFlow]) { (self.isJSON, self.flows) = (isJSON, flows) }

    /// Executes a verb and prints its results. Throws if a flow cannot be read, or if the verb reports findings.
    func run(_ options: AnalysisOptions) throws(CommandError) {
        switch options {
        case .lint(let flow, let effort): try lint(try flows(flow), effort)
        case .races(let flow, let effort): try races(try flows(flow), effort)
        case .paths(let flow, let state, let effort):
            var isComplete = true
            for flow in try flows(flow, having: state) {
                try AnalysisOptions.expectNoMistakes(flow)
                let report = PathsReport(
                    flow, to: state, moves: effort.moves(.pathsMoves), terminal)
                print(report.lines, report.json)
                isComplete = isComplete && report.incompleteness.isEmpty
            }
            try effort.check(isComplete: isComplete)
        case .coveringScenario(let name, let effort):
            try writeCoveringScenario(
                try AnalysisOptions.validFlow(name, flows), named: name, effort)
        case .test(let files, let coverage):
            try ScenarioCommand(files, coverage: coverage, isJSON: isJSON, flows, terminal).run()
        case .graph(let flow, let drawing):
            try graph(try AnalysisOptions.flow(flow, flows), drawing)
        }
    }

    /// The flow of this name or in this file, or all flows if `name` is nil.
    private func flows(_ name: String?) throws(CommandError) -> [AnyFlow] {
        guard let name else { return flows }
        return [try AnalysisOptions.flow(name, flows)]
    }

    /// Returns the flow of this name or in this file, or all flows if `name` is nil. If `state` is given, returns only the
    /// flows that have this state. Throws if no flow has the state.
    private func flows(_ name: String?, having state: String?) throws(CommandError) -> [AnyFlow] {
        let flows = try flows(name)
        guard let state else { return flows }
        let flowsWithState = flows.filter { $0.stateNames.contains(state) }
        guard flowsWithState.isEmpty else { return flowsWithState }
        let question = DidYouMean.question(state, flows.flatMap(\.stateNames))
        let hint = question.map { "; \($0)" } ?? ""
        let subject = name.map { "\($0) has no state" } ?? "no flow has a state"
        throw .usage("\(subject) \(TerminalSafe.escaped(state))\(hint)")
    }

    /// Prints a report: its lines, or the members of its JSON object.
    private func print(_ lines: [String], _ json: [Member]) {
        if isJSON {
            Output.json(JSONWriter.bytes { $0.object(json) })
        } else {
            // An empty line between two reports.
            if hasPrinted { Output.line("") }
            for line in lines { Output.line(line) }
        }
        hasPrinted = true
    }

    /// Prints the report of each flow. Throws if two flows have the same name, or if there are findings other than `incomplete`.
    private func lint(_ flows: [AnyFlow], _ effort: SearchEffort) throws(CommandError) {
        var (findingCount, isComplete) = (0, true)
        for (index, flow) in flows.enumerated()
        where flows[..<index].contains(where: { $0.name == flow.name }) {
            throw .check("two flows are called \(flow.name)")
        }
        for flow in flows {
            let report = LintReport(Lint(flow, moves: effort.moves(.lintMoves)), terminal)
            print(report.lines, report.json)
            findingCount += report.findingCount
            isComplete = isComplete && !report.isIncomplete
        }
        if findingCount > 0 { throw .check("\(findingCount) found") }
        try effort.check(isComplete: isComplete)
    }

    /// Prints the races of each flow. Throws if an invariant does not hold. Races alone are not an error.
    private func races(_ flows: [AnyFlow], _ effort: SearchEffort) throws(CommandError) {
        var (brokenCount, isComplete) = (0, true)
        for flow in flows {
            try AnalysisOptions.expectNoMistakes(flow)
            let races = Races(flow, moves: effort.moves(.racesMoves))
            let report = RacesReport(races, terminal)
            print(report.lines, report.json)
            brokenCount += races.brokenInvariants.count
            isComplete = isComplete && races.isComplete
        }
        guard brokenCount > 0 else { return try effort.check(isComplete: isComplete) }
        throw .check(
            "\(brokenCount) \(brokenCount == 1 ? "invariant does" : "invariants do") not hold")
    }

    /// Writes scenarios that take every transition of the flow. `name` is the flow's name, or the path of its file; the
    /// scenarios contain it to refer to the flow. Throws if there is no scenario, or if a transition is in none of the scenarios.
    private func writeCoveringScenario(
        _ flow: AnyFlow, named name: String, _ effort: SearchEffort
    ) throws(CommandError) {
        let tour = Tour(flow, moves: effort.moves(.pathsMoves), named: name)
        let missed = tour.missed.map { "\($0.from) → \($0.to) by \($0.on)" }
        if isJSON {
            print(
                [],
                [
                    Member("flow", flow.name), Member("scenarios", tour.text),
                    Member("missed", missed.value), Member("complete", tour.isComplete),
                ])
        } else {
            Output.text(tour.text)
        }
        let without = tour.text.isEmpty ? "; there is no scenario to write" : ""
        guard missed.isEmpty else {
            let note =
                tour.isComplete ? "" : "; the search is incomplete, and --moves N goes further"
            throw .check("no path was found to \(missed.joined(separator: ", "))\(without)\(note)")
        }
        if tour.text.isEmpty { throw .check("\(flow.name) has no transition\(without)") }
        try effort.check(isComplete: tour.isComplete)
    }

    /// Writes the diagram of a flow.
    private func graph(_ flow: AnyFlow, _ drawing: AnalysisOptions.Drawing) throws(CommandError) {
        switch drawing {
        case .text(let format):
            let text = Diagram(flow).text(format)
            if isJSON {
                return print(
                    [],
                    [
                        Member("flow", flow.name), Member("format", format.rawValue),
                        Member("graph", text),
                    ])
            }
            Output.text(text)
        case .picture(let format):
            if isJSON { throw .usage("a picture cannot be JSON: omit --json") }
            if format == "png", terminal.isTerminal {
                throw .usage(
                    "a picture is not written to a terminal: gamectl graph … > flow.png")
            }
            do throws(Graphviz.DrawingError) {
                Output.write(try Graphviz.draw(Diagram(flow).text(.dot), as: format))
            } catch { throw .check(error.why) }
        }
    }
}

/// A word of the command line where a flow is expected: a flow's name, or a flow file.
enum FlowArgument {
    /// Whether the word is a file: it contains `/` or ends in `.yaml`. No flow has such a name.
    static func isFile(_ word: String) -> Bool { word.contains("/") || word.hasSuffix(".yaml") }

    /// The flow of a file, with the default settings. Throws one error with all mistakes in the file.
    static func read(_ path: String) throws(CommandError) -> AnyFlow {
        do { return try FlowFile(path: path).flow } catch {
            throw .malformed(error.findings.map(\.description))
        }
    }

    /// The flow of a file that a scenario names. The error has the type that the runner of scenarios expects.
    static func forScenario(_ path: String) throws(FlowFileReadingError) -> AnyFlow {
        do { return try FlowFile(path: path).flow } catch {
            throw FlowFileReadingError(reasons: error.findings.map(\.description))
        }
    }
}

/// A verb that analyzes flows, with its options. A flow is given by its name or by the path of its file; see `FlowArgument`.
enum AnalysisOptions: Equatable {
    /// In `lint`, `races` and `paths`, a `flow` that is nil stands for all flows.
    case lint(flow: String?, SearchEffort = SearchEffort())
    case races(flow: String?, SearchEffort = SearchEffort())
    /// The paths to the state `to`; nil for the paths to all states.
    case paths(flow: String?, to: String?, SearchEffort = SearchEffort())
    /// A scenario file that takes every transition of the flow.
    case coveringScenario(flow: String, SearchEffort = SearchEffort())
    /// Runs scenario files; `coverage` tells whether a coverage report is printed too.
    case test(files: [String], coverage: Bool)
    case graph(flow: String, Drawing)

    /// A diagram's form.
    enum Drawing: Equatable {
        case text(Diagram.Format)
        /// A picture that Graphviz draws, in this format.
        case picture(String)
    }

    /// The formats of pictures.
    static let pictureFormats = ["svg", "png"]
    /// The values of `--format`.
    static let formats = Diagram.Format.allCases.map(\.rawValue) + pictureFormats

    // MARK: reading a command line
    //
    // The first of the words of a `LongOptions` is the verb. `flows` are the flows that are compiled into the program.

    static func test(_ line: LongOptions) throws(CommandError) -> AnalysisOptions {
        let files = line.words.dropFirst()
        guard !files.isEmpty else { throw .usage("test: a scenario file is missing") }
        return .test(files: Array(files), coverage: line.has("coverage"))
    }

    static func paths(_ line: LongOptions, _ flows: [AnyFlow]) throws(CommandError)
        -> AnalysisOptions
    {
        let (flow, effort) = (try optionalFlow(line, flows), try SearchEffort(line))
        guard line.has("scenario") else {
            return .paths(flow: flow, to: line.value("to"), effort)
        }
        guard let flow else { throw .usage("paths --scenario: name a flow") }
        if line.has("to") { throw .usage("paths: either --to or --scenario") }
        return .coveringScenario(flow: flow, effort)
    }

    static func graph(_ line: LongOptions, _ flows: [AnyFlow]) throws(CommandError)
        -> AnalysisOptions
    {
        let givenFlow = try optionalFlow(line, flows)
        let flow = if let givenFlow { givenFlow } else { try standardFlow(flows) }
        return .graph(flow: flow, try drawing(line.value("format")))
    }

    /// The name of the default flow of `graph`: `game` if it is among the flows, else the first flow.
    private static func standardFlow(_ flows: [AnyFlow]) throws(CommandError) -> String {
        let flow = flows.first { $0.name == "game" } ?? flows.first
        guard let flow else { throw .usage("graph: this program has no flow") }
        return flow.name
    }

    /// The flow's name, or the path of its file, after the verb; nil if the line names no flow. Throws if no flow has the name.
    static func optionalFlow(_ line: LongOptions, _ flows: [AnyFlow]) throws(CommandError)
        -> String?
    {
        let words = line.words.dropFirst()
        if words.count > 1 { throw .usage("\(line.words[0]): one flow at a time") }
        if let name = words.first, !FlowArgument.isFile(name) { _ = try flow(name, flows) }
        return words.first
    }

    /// The form of the diagram for a value of `--format`; Mermaid text unless given.
    private static func drawing(_ format: String?) throws(CommandError) -> Drawing {
        guard let format else { return .text(.mermaid) }
        if let text = Diagram.Format(rawValue: format) { return .text(text) }
        if pictureFormats.contains(format) { return .picture(format) }
        throw .usage(
            "--format \(TerminalSafe.escaped(format)): expected \(formats.joined(separator: ", "))")
    }

    /// The flow of this name or in this file. Throws if the flow has mistakes, because to try a broken flow would give
    /// misleading results.
    static func validFlow(_ name: String, _ flows: [AnyFlow]) throws(CommandError) -> AnyFlow {
        let flow = try flow(name, flows)
        try expectNoMistakes(flow)
        return flow
    }

    /// Throws if the flow has mistakes.
    static func expectNoMistakes(_ flow: AnyFlow) throws(CommandError) {
        guard !flow.mistakes.isEmpty else { return }
        throw .check("\(flow.name) is broken: \(flow.mistakes.joined(separator: "; "))")
    }

    /// The flow of this name, or the flow that a file contains.
    static func flow(_ name: String, _ flows: [AnyFlow]) throws(CommandError) -> AnyFlow {
        if FlowArgument.isFile(name) { return try FlowArgument.read(name) }
        if let flow = flows.first(where: { $0.name == name }) { return flow }
        let hint = DidYouMean.hint(name, flows.map(\.name))
        throw .usage("no flow \(TerminalSafe.escaped(name)); \(hint)")
    }
}
