import FlowAnalysis
import GameFlow
import JSONCoding
import Shell

/// `gamectl test`: runs scenario files in virtual time, and prints the results in TAP, the Test Anything Protocol.
struct ScenarioCommand {
    private let files: [String]
    private let showsCoverage: Bool
    private let isJSON: Bool
    /// The flows of the program, which scenarios can name. A scenario can also name a flow file.
    private let flows: [AnyFlow]
    private let terminal: Terminal

    init(
        _ files: [String], coverage: Bool, isJSON: Bool, _ flows: [AnyFlow], _ terminal: Terminal
    ) {
        (self.files, showsCoverage) = (files, coverage)
        (self.isJSON, self.flows, self.terminal) = (isJSON, flows, terminal)
    }

    /// Runs the scenarios, and prints one result for each. Throws `check` at the end if a scenario failed.
    func run() throws(CommandError) {
        let scenarios = try read()
        // A flow file was checked when it was read. Its warnings do not prevent a test, as they do not prevent a game.
        for scenario in scenarios where scenario.flow.source == nil {
            try AnalysisOptions.expectNoMistakes(scenario.flow)
        }
        printWarnings(scenarios)
        let runs = scenarios.map { ScenarioRun($0) }
        let report = TAPReport(runs)
        if isJSON {
            for run in runs { Output.json(JSONWriter.bytes { $0.object(jsonMembers(run)) }) }
        } else {
            for line in report.lines { Output.line(painted(line)) }
        }
        if showsCoverage { printCoverage(runs) }
        guard report.isPassed else {
            let failed = runs.filter { $0.failure != nil }.count
            throw .check("\(failed) of \(runs.count) scenarios failed")
        }
    }

    /// Prints the warnings about the flow files of scenarios, each once, on standard error.
    private func printWarnings(_ scenarios: [Scenario]) {
        var printed: Set<String> = []
        var checkedVersions: Set<String> = []
        for scenario in scenarios {
            guard let source = scenario.flow.source, checkedVersions.insert(source.version).inserted
            else { continue }
            for warning in scenario.flow.warnings where printed.insert(warning).inserted {
                printError("gamectl: warning: \(TerminalSafe.escaped(warning))")
            }
        }
    }

    /// The scenarios of all files. If files have mistakes or cannot be read, throws one error with a sentence for each mistake.
    private func read() throws(CommandError) -> [Scenario] {
        var (scenarios, errors): ([Scenario], [String]) = ([], [])
        for file in files {
            let text: [UInt8]
            do { text = try FileText.read(file, limit: ScenarioReader.limit) } catch {
                errors.append(error.why)
                continue
            }
            let reader = ScenarioReader(
                text, file: file, flows: flows, readFlowFile: FlowArgument.forScenario)
            scenarios += reader.scenarios
            errors += reader.errors.map { TerminalSafe.escaped($0.sentence) }
        }
        guard errors.isEmpty else { throw .malformed(errors) }
        return scenarios
    }

    /// A line of the TAP report in colour: red for a failed scenario, green for a scenario that passed. Other lines get no
    /// colour.
    private func painted(_ line: String) -> String {
        if line.hasPrefix("not ok") { return terminal.paint(line, .red) }
        return line.hasPrefix("ok") ? terminal.paint(line, .green) : line
    }

    private func jsonMembers(_ run: ScenarioRun) -> [Member] {
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

    /// Prints one coverage report for each flow: what all scenarios of the flow together exercised.
    private func printCoverage(_ runs: [ScenarioRun]) {
        var coverages: [Coverage] = []
        for run in runs {
            if let index = coverages.firstIndex(where: { $0.isOfSameFlow(as: run.coverage) }) {
                coverages[index].add(run.coverage)
            } else {
                coverages.append(run.coverage)
            }
        }
        for coverage in coverages {
            let report = CoverageReport(coverage)
            if isJSON {
                Output.json(JSONWriter.bytes { $0.object(report.json) })
            } else {
                for line in report.lines { Output.line(line) }
            }
        }
    }
}
