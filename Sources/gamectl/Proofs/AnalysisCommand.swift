import FlowAnalysis
import GameFlow
import Glibc
import JSON
import Shell
internal import ShippedFlows
import Support

/// Asks the flows themselves, and says what they answer.
final class AnalysisCommand {
    private let isJSON: Bool
    private let terminal = Terminal(1)
    private var hasPrinted = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    func run(_ order: AnalysisOptions) throws(Failure) {
        switch order {
        case .lint(let flow): try lint(try flows(flow))
        case .races(let flow):
            for flow in try flows(flow) {
                try AnalysisOptions.expectSound(flow)
                let report = RacesReport(Races(flow), terminal)
                print(report.lines, report.json)
            }
        case .paths(let flow, let state):
            for flow in try flows(flow, having: state) {
                try AnalysisOptions.expectSound(flow)
                let report = PathsReport(flow, to: state, terminal)
                print(report.lines, report.json)
            }
        case .tour(let flow): try tour(try AnalysisOptions.soundFlow(flow))
        case .test(let files, let coverage):
            try ScenarioVerb(files, coverage: coverage, isJSON: isJSON, terminal).run()
        case .graph(let flow, let drawing): try graph(try AnalysisOptions.flow(flow), drawing)
        }
    }

    private func flows(_ name: String?) throws(Failure) -> [AnyFlow] {
        guard let name else { return AnyFlow.shipped() }
        return [try AnalysisOptions.flow(name)]
    }

    /// Of all flows, those that have the state.
    private func flows(_ name: String?, having state: String?) throws(Failure) -> [AnyFlow] {
        let flows = try flows(name)
        guard let state else { return flows }
        let having = flows.filter { $0.stateNames.contains(state) }
        guard having.isEmpty else { return having }
        let question = DidYouMean.question(state, flows.flatMap(\.stateNames))
        let hint = question.map { "; \($0)" } ?? ""
        throw .usage("no state \(TerminalSafe.word(state)) in \(name ?? "any flow")\(hint)")
    }

    private func print(_ lines: [String], _ json: [Member]) {
        if isJSON {
            Output.json(JSONWriter.bytes { $0.object(json) })
        } else {
            // A line between two reports, and none behind the last.
            if hasPrinted { Output.line("") }
            for line in lines { Output.line(line) }
        }
        hasPrinted = true
    }

    private func lint(_ flows: [AnyFlow]) throws(Failure) {
        var count = 0
        for (place, flow) in flows.enumerated()
        where flows[..<place].contains(where: { $0.name == flow.name }) {
            throw .check("two flows are called \(flow.name)")
        }
        for flow in flows {
            let report = LintReport(Lint(flow), terminal)
            print(report.lines, report.json)
            count += report.findings
        }
        if count > 0 { throw .check("\(count) found") }
    }

    private func tour(_ flow: AnyFlow) throws(Failure) {
        let tour = Tour(Exploration(flow))
        let missed = tour.missed.map { "\($0.from) → \($0.to) by \($0.on)" }
        if isJSON {
            print(
                [],
                [
                    Member("flow", flow.name), Member("scenarios", tour.text),
                    Member("missed", missed.value),
                ])
        } else {
            Output.write(Array(tour.text.utf8))
        }
        guard missed.isEmpty else {
            throw .check("no way was found to \(missed.joined(separator: ", "))")
        }
    }

    private func graph(_ flow: AnyFlow, _ drawing: AnalysisOptions.Drawing) throws(Failure) {
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
            Output.write(Array(text.utf8))
        case .picture(let format):
            if isJSON { throw .usage("a picture is no JSON: leave --json out") }
            if format == "png", terminal.isTerminal {
                throw .usage("a picture is nothing for a terminal: gamectl graph … > flow.png")
            }
            try Graphviz.draw(Diagram(flow).text(.dot), as: format)
        }
    }
}
