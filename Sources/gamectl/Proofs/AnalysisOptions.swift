import FlowAnalysis
import GameFlow
import Shell
internal import ShippedFlows
import Support

/// What is asked of the flows themselves: no daemon is needed for it.
enum AnalysisOptions: Equatable {
    /// Of all flows, where none is named.
    case lint(flow: String?)
    case races(flow: String?)
    case paths(flow: String?, to: String?)
    /// A scenario file that takes every row of the flow's table.
    case tour(flow: String)
    case test(files: [String], coverage: Bool)
    case graph(flow: String, Drawing)

    /// What a diagram is to be.
    enum Drawing: Equatable {
        case text(Diagram.Format)
        /// What Graphviz makes of it.
        case picture(String)
    }

    static let pictures = ["svg", "png"]
    /// What a diagram can be: a language, or a picture.
    static let formats = Diagram.Format.allCases.map(\.rawValue) + pictures

    // MARK: the orders of a command line

    static func test(_ line: LongOptions) throws(Failure) -> AnalysisOptions {
        let files = line.words.dropFirst()
        guard !files.isEmpty else { throw .usage("test: a scenario file is missing") }
        return .test(files: Array(files), coverage: line.has("coverage"))
    }

    static func paths(_ line: LongOptions) throws(Failure) -> AnalysisOptions {
        let flow = try optionalFlow(line)
        guard line.has("scenario") else { return .paths(flow: flow, to: line.value("to")) }
        guard let flow else { throw .usage("paths --scenario: of which flow?") }
        if line.has("to") { throw .usage("paths: either --to or --scenario") }
        return .tour(flow: flow)
    }

    static func graph(_ line: LongOptions) throws(Failure) -> AnalysisOptions {
        .graph(flow: try optionalFlow(line) ?? "game", try drawing(line.value("format")))
    }

    /// The flow that stands behind the verb, if one does.
    static func optionalFlow(_ line: LongOptions) throws(Failure) -> String? {
        let words = line.words.dropFirst()
        if words.count > 1 { throw .usage("\(line.words[0]): one flow at a time") }
        if let name = words.first { _ = try flow(name) }
        return words.first
    }

    private static func drawing(_ format: String?) throws(Failure) -> Drawing {
        guard let format else { return .text(.mermaid) }
        if let text = Diagram.Format(rawValue: format) { return .text(text) }
        if pictures.contains(format) { return .picture(format) }
        throw .usage(
            "--format \(TerminalSafe.word(format)): expected \(formats.joined(separator: ", "))")
    }

    /// A flow that can be tried out: one that is broken would say nothing true.
    static func soundFlow(_ name: String) throws(Failure) -> AnyFlow {
        let flow = try flow(name)
        try expectSound(flow)
        return flow
    }

    static func expectSound(_ flow: AnyFlow) throws(Failure) {
        guard !flow.mistakes.isEmpty else { return }
        throw .check("\(flow.name) is broken: \(flow.mistakes.joined(separator: "; "))")
    }

    static func flow(_ name: String) throws(Failure) -> AnyFlow {
        let flows = AnyFlow.shipped()
        if let flow = flows.first(where: { $0.name == name }) { return flow }
        let hint = DidYouMean.hint(name, flows.map(\.name))
        throw .usage("no flow \(TerminalSafe.word(name)); \(hint)")
    }
}
