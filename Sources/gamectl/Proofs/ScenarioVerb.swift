import FlowAnalysis
import GameFlow
import Glibc
import JSON
import Shell
internal import ShippedFlows

/// Runs scenario files, and says in TAP what came of them.
struct ScenarioVerb {
    private let files: [String]
    private let coverage: Bool
    private let isJSON: Bool
    private let terminal: Terminal

    init(_ files: [String], coverage: Bool, isJSON: Bool, _ terminal: Terminal) {
        (self.files, self.coverage) = (files, coverage)
        (self.isJSON, self.terminal) = (isJSON, terminal)
    }

    func run() throws(Failure) {
        let scenarios = try read()
        for scenario in scenarios { try AnalysisOptions.expectSound(scenario.flow) }
        let runs = scenarios.map { ScenarioRun($0) }
        let report = TAPReport(runs)
        if isJSON {
            for run in runs { Output.json(JSONWriter.bytes { $0.object(entry(run)) }) }
        } else {
            for line in report.lines { Output.line(painted(line)) }
        }
        if coverage { tell(runs) }
        guard report.isPassed else {
            let failed = runs.filter { $0.failure != nil }.count
            throw .check("\(failed) of \(runs.count) scenarios failed")
        }
    }

    /// The scenarios of all files; whatever is wrong with any of them is said first.
    private func read() throws(Failure) -> [Scenario] {
        let flows = AnyFlow.shipped()
        var (scenarios, errors): ([Scenario], [String]) = ([], [])
        for file in files {
            let text: [UInt8]
            do { text = try FileText.read(file) } catch {
                errors.append(error.message)
                continue
            }
            let reader = ScenarioReader(text, file: file, flows: flows)
            scenarios += reader.scenarios
            errors += reader.errors.map { TerminalSafe.word($0.sentence) }
        }
        guard errors.isEmpty else { throw .malformed(errors) }
        return scenarios
    }

    private func painted(_ line: String) -> String {
        if line.hasPrefix("not ok") { return terminal.paint(line, .red) }
        return line.hasPrefix("ok") ? terminal.paint(line, .green) : line
    }

    private func entry(_ run: ScenarioRun) -> [Member] {
        let scenario = run.scenario
        var members = [
            Member("file", scenario.file), Member("line", scenario.line),
            Member("flow", scenario.flow.name), Member("scenario", scenario.title),
            Member("ok", run.failure == nil),
        ]
        if let failure = run.failure {
            members += [
                Member("failedAt", failure.line), Member("expected", failure.expected),
                Member("was", failure.was),
            ]
        }
        return members
    }

    /// What was exercised of each flow, all scenarios together.
    private func tell(_ runs: [ScenarioRun]) {
        var all: [Coverage] = []
        for run in runs {
            if let place = all.firstIndex(where: { $0.flow === run.scenario.flow }) {
                all[place].add(run.coverage)
            } else {
                all.append(run.coverage)
            }
        }
        for coverage in all {
            let report = CoverageReport(coverage)
            if isJSON {
                Output.json(JSONWriter.bytes { $0.object(report.json) })
            } else {
                for line in report.lines { Output.line(line) }
            }
        }
    }
}
