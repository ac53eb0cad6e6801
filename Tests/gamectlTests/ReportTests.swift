import FlowAnalysis
import GameFlow
import Shell
import ShippedFlows
import TestSupport
import Testing

@testable import GamectlTool

@Suite struct ReportTests {
    /// No terminal, so the reports have no colours.
    private let terminal = Terminal(-1)

    private func flow(_ name: String) throws -> AnyFlow {
        try #require(AnyFlow.shipped().first { $0.name == name })
    }

    @Test func `lint's matrix lists accepted events first, then refusals by reason`() throws {
        let lines = LintReport(Lint(try flow("permissions")), terminal).lines
        #expect(lines.first == "permissions: 6 states × 1 events, 1 signals")
        let index = try #require(
            lines.firstIndex(of: "pushNotificationsDisplay  promptTimedOut 1m"))
        #expect(
            lines[(index + 1)...(index + 3)] == [
                "  go to=locationAsk  → locationAsk  [showLocationScreen]",
                "  promptTimedOut     → locationAsk  [showLocationScreen]",
                "  noTransition       go",
            ])
        #expect(lines.contains("onboarded  final"))
        #expect(lines.last == "nothing found; 8 situations tried")
    }

    @Test func `lint's matrix as JSON has each state and each event`() throws {
        let flow = try flow("quiz")
        let json = LintReport(Lint(flow), terminal).json
        guard case .array(let matrix) = json["matrix"] else {
            Issue.record("no matrix")
            return
        }
        let events = matrix.filter { $0.find("signal") == .bool(false) }
        #expect(events.count == flow.stateNames.count * flow.events.count)
        #expect(json["findings"] == .array([]))
        #expect(json["complete"] == .bool(true))
        let buzz = matrix.first {
            $0.find("state") == .string("question") && $0.find("on") == .string("buzz")
        }
        #expect(
            buzz?.find("outcomes")
                == .array([
                    .object([
                        Member("verdict", "enter"), Member("to", "locked"),
                        Member("effects", .array([.string("lock")])),
                    ]),
                    .object([
                        Member("verdict", "refused"), Member("reason", "invalid"),
                        Member("argument", "player"), Member("why", "out at this question"),
                    ]),
                ]))
    }

    @Test func `paths shows the path with fewest steps, and the soonest if it differs`() throws {
        let lines = PathsReport(try flow("startup"), to: "error", terminal).lines
        #expect(lines.count == 4)
        #expect(lines[1] == "  TO        STEPS  TIME  BY")
        #expect(lines[2] == "  error     1      5s    launchTimedOut after 5s")
        #expect(lines[3].hasPrefix("    sooner  3      0s    didLaunch · "))
        let error = #expect(throws: CommandError.self) {
            try AnalysisCommand(isJSON: false, AnyFlow.shipped()).run(
                .paths(flow: "startup", to: "errr"))
        }
        #expect(error == .usage("startup has no state errr; did you mean error?"))
    }

    @Test func `a race as JSON has its path and each outcome`() throws {
        let json = RacesReport(Races(try flow("permissions")), terminal).json
        guard case .array(let races) = json["races"], let race = races.first else {
            Issue.record("no race")
            return
        }
        #expect(race.find("state") == .string("pushNotificationsDisplay"))
        #expect(race.find("afterMs") == .int(60_000))
        #expect(race.find("onlyEffects") == .bool(false))
        guard case .array(let outcomes) = race.find("outcomes"),
            case .array(let path) = race.find("path")
        else {
            Issue.record("no outcomes")
            return
        }
        #expect(
            outcomes.map { $0.find("state") } == [
                .string("locationDisplay"), .string("locationAsk"),
            ])
        #expect(path.count == 2)
    }

    @Test func `coverage lists what was not exercised`() throws {
        let text = "flow permissions\nsend go to=pushNotificationsAsk\n"
        let reader = ScenarioReader(Array(text.utf8), file: "t", flows: AnyFlow.shipped())
        let run = ScenarioRun(try #require(reader.scenarios.first))
        let report = CoverageReport(run.coverage)
        #expect(report.lines.prefix(2) == ["# permissions", "#   1 of 9 transitions"])
        #expect(report.lines.contains("#     ✓ initial → pushNotificationsAsk by go"))
        #expect(report.lines.contains("#     ✗ locationAsk → onboarded by go"))
        #expect(report.lines.contains("#   0 of 2 timers"))
        #expect(report.json["complete"] == .bool(false))
    }

    @Test func `the example scenarios cover all shipped flows`() throws {
        for flow in AnyFlow.shipped() {
            let root = RepositoryFile.root
            let path = "\(root)/Examples/scenarios/\(flow.name).scenario"
            let reader = ScenarioReader(try FileText.read(path), file: path, flows: [flow])
            #expect(reader.errors == [])
            var coverage = Coverage(flow)
            for scenario in reader.scenarios {
                let run = ScenarioRun(scenario)
                #expect(run.failure == nil, "\(flow.name): \(scenario.title)")
                coverage.add(run.coverage)
            }
            #expect(
                coverage.isComplete, "\(CoverageReport(coverage).lines.filter { $0.contains("✗") })"
            )
        }
    }

    @Test func `the vault's scenarios cover its flow file`() throws {
        let path = "\(RepositoryFile.root)/Examples/vault/vault.scenario"
        let reader = ScenarioReader(
            try FileText.read(path), file: path, flows: [],
            readFlowFile: FlowArgument.forScenario)
        #expect(reader.errors == [])
        let runs = reader.scenarios.map { ScenarioRun($0) }
        for run in runs { #expect(run.failure == nil, "\(run.scenario.title)") }
        var coverage = try #require(runs.first).coverage
        for run in runs { coverage.add(run.coverage) }
        #expect(
            coverage.isComplete, "\(CoverageReport(coverage).lines.filter { $0.contains("✗") })")
    }

    @Test func `a history record has the form of a watch line`() throws {
        let line = WatchLine(printer: Printer(terminal), isVirtual: true, showsSession: false)
        let refused = try SampleReplies.value(
            #"{"session":"main","seq":4,"kind":"refused","event":{"name":"buzz","args":{"player":"bob"}},"source":{"kind":"unix","peer":{"pid":7,"uid":0,"gid":0}},"error":{"code":2,"message":"invalid","data":{"event":"buzz","argument":"player","why":"out at this question"}},"atMs":1500,"time":"1970-01-01T00:00:01.500Z"}"#
        )
        #expect(
            try line.record(refused)
                == "0:00:01.500        refused invalid  buzz player=bob  (buzz player: out at this question)  pid 7"
        )
    }
}
