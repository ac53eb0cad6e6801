import Diagrams
import GameFlow
import Shell
internal import ShippedFlows
import Support

/// What is asked of the flows themselves: no daemon is needed for it.
enum ProofOrder: Equatable {
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

    static let verbs = ["lint", "races", "paths", "test", "graph"]
    static let pictures = ["svg", "png"]

    /// The order of a command line; nil if its verb is none of these.
    init?(_ line: LongOptions) throws(Failure) {
        let (verb, words) = (line.words[0], line.words.dropFirst())
        guard Self.verbs.contains(verb) else { return nil }
        if verb == "test" {
            guard !words.isEmpty else { throw .usage("test: a scenario file is missing") }
            self = .test(files: Array(words), coverage: line.has("coverage"))
            return
        }
        if words.count > 1 { throw .usage("\(verb): one flow at a time") }
        let flow = words.first
        if let flow { _ = try Self.flow(flow) }
        switch verb {
        case "lint": self = .lint(flow: flow)
        case "races": self = .races(flow: flow)
        case "graph": self = .graph(flow: flow ?? "game", try Self.drawing(line.value("format")))
        default: self = try Self.paths(flow, line)
        }
    }

    private static func paths(_ flow: String?, _ line: LongOptions) throws(Failure) -> ProofOrder {
        guard line.has("scenario") else { return .paths(flow: flow, to: line.value("to")) }
        guard let flow else { throw .usage("paths --scenario: of which flow?") }
        if line.has("to") { throw .usage("paths: either --to or --scenario") }
        return .tour(flow: flow)
    }

    private static func drawing(_ format: String?) throws(Failure) -> Drawing {
        guard let format else { return .text(.mermaid) }
        if let text = Diagram.Format(rawValue: format) { return .text(text) }
        if pictures.contains(format) { return .picture(format) }
        let all = Diagram.Format.allCases.map(\.rawValue) + pictures
        throw .usage("--format \(Shown.word(format)): expected \(all.joined(separator: ", "))")
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
        throw .usage("no flow \(Shown.word(name)); \(hint)")
    }
}
