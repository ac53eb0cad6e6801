import FlowAnalysis
import GameFlow
import Glibc
import JSONCoding
import Shell

/// `gamectl test`: runs scenario files and prints the results in TAP.
struct ScenarioCommand {
    private let files: [String]
    private let coverage: Bool
    private let isJSON: Bool
    private let flows: [AnyFlow]
    private let terminal: Terminal

    init(
        _ files: [String], coverage: Bool, isJSON: Bool, _ flows: [AnyFlow], _ terminal: Terminal
    ) {
        (self.files, self.coverage) = (files, coverage)
        (self.isJSON, self.flows, self.terminal) = (isJSON, flows, terminal)
    }

    func run() throws(CommandError) {
        let scenarios = try read()
        for scenario in scenarios { try AnalysisOptions.expectSound(scenario.flow) }
        let runs = scenarios.map { ScenarioRun($0) }
        let report = TAPReport(runs)
        if isJSON {
            for run in runs { Output.json(JSONWriter.bytes { $0.object(entry(run)) }) }
        } else {
            for line in report.lines { Output.line(painted(line)) }
        }
        if coverage { printCoverage(runs) }
        guard report.isPassed else {
            let failed = runs.filter { $0.failure != nil }.count
            throw .check("\(failed) of \(runs.count) scenarios failed")
        }
    }

    /// The scenarios of all files; throws all errors in them together.
    private func read() throws(CommandError) -> [Scenario] {
        var (scenarios, errors): ([Scenario], [String]) = ([], [])
        for file in files {
            let text: [UInt8]
            do { text = try FileText.read(file) } catch {
                errors.append(error.why)
                continue
            }
            let reader = ScenarioReader(
                text, file: file, flows: flows, readFlowFile: FlowArgument.forScenario)
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

    /// Prints the coverage of each flow by all scenarios.
    private func printCoverage(_ runs: [ScenarioRun]) {
        var all: [Coverage] = []
        for run in runs {
            if let index = all.firstIndex(where: { $0.isOfSameFlow(as: run.coverage) }) {
                all[index].add(run.coverage)
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

/// Reads scenario files.
enum FileText {
    /// The bytes of a file, or of standard input for `-`. Stops soon after `ScenarioReader.limit`.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor > 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= ScenarioReader.limit {
            let count = chunk.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandError {
        .malformed(["\(TerminalSafe.word(path)): \(String(cString: strerror(errno)))"])
    }
}
