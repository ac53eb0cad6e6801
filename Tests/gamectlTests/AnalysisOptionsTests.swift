import FlowAnalysis
import GameFlow
import Shell
import ShippedFlows
import TestSupport
import Testing

@testable import GamectlTool

@Suite struct AnalysisOptionsTests {
    private func options(_ words: String...) throws -> AnalysisOptions {
        guard case .analyze(let options, _) = try Command.read(words) else {
            throw CommandError.usage("no analysis")
        }
        return options
    }

    private func failure(_ words: String...) -> CommandError? {
        do throws(CommandError) {
            _ = try Command.read(words)
            return nil
        } catch { return error }
    }

    @Test func `the verbs that analyze flows are read with their options`() throws {
        #expect(try options("lint") == .lint(flow: nil))
        #expect(try options("races", "quiz") == .races(flow: "quiz"))
        #expect(
            try options("paths", "--to", "error", "startup") == .paths(flow: "startup", to: "error")
        )
        #expect(try options("paths", "game", "--scenario") == .coveringScenario(flow: "game"))
        #expect(
            try options("test", "--coverage", "a", "b") == .test(files: ["a", "b"], coverage: true))
    }

    @Test func `a search has a number of moves, and may have to be complete`() throws {
        var effort = SearchEffort()
        effort.moves = 500
        #expect(try options("lint", "--moves", "500") == .lint(flow: nil, effort))
        effort.moves = .max
        effort.mustBeComplete = true
        #expect(
            try options("races", "quiz", "--moves", "all", "--complete")
                == .races(flow: "quiz", effort))
        for moves in ["0", "-1", "many"] {
            #expect(
                failure("paths", "--moves", moves)
                    == .usage("--moves \(moves): expected a number of moves, or all"))
        }
        #expect(
            failure("test", "--moves", "5", "a")
                == .usage("--moves is an option of lint, races, paths"))
    }

    @Test func `a graph is by default Mermaid of the game`() throws {
        #expect(try options("graph") == .graph(flow: "game", .text(.mermaid)))
        #expect(
            try options("graph", "quiz", "--format", "dot") == .graph(flow: "quiz", .text(.dot)))
        #expect(try options("graph", "--format=svg") == .graph(flow: "game", .picture("svg")))
    }

    @Test func `an invalid command line is a usage error with a hint`() {
        #expect(failure("lint", "gaem")?.why.contains("did you mean game?") == true)
        #expect(failure("graph", "nowhere")?.why.contains("expected one of game, startup") == true)
        for words in [
            ["graph", "--format", "gif"], ["test"], ["lint", "game", "quiz"],
            ["paths", "--scenario"], ["paths", "game", "--scenario", "--to", "help"],
            ["lint", "--coverage"], ["send", "pause", "--format", "dot"], ["status", "--to", "x"],
        ] {
            let error = #expect(throws: CommandError.self) { _ = try Command.read(words) }
            #expect(error?.status == .usage, "\(words)")
        }
    }

    @Test func `a failed check exits with 6, an unreadable file with 2`() {
        #expect(CommandError.check("x").status.rawValue == 6)
        #expect(CommandError.malformed(["x"]).status.rawValue == 2)
        let error = #expect(throws: CommandError.self) {
            try ScenarioCommand(
                ["/nowhere/a", "/nowhere/b"], coverage: false, isJSON: false, AnyFlow.shipped(),
                Terminal(-1)
            )
            .run()
        }
        #expect(
            error
                == .malformed([
                    "/nowhere/a: No such file or directory",
                    "/nowhere/b: No such file or directory",
                ]))
    }

    @Test
    func `commands accept the program's flows; the default flow is game, or else the first flow`()
        throws
    {
        let flowsWithoutGame = [AnyFlow(Quiz()), AnyFlow(Startup())]
        func graph(_ flows: [AnyFlow]) throws -> AnalysisOptions? {
            guard case .analyze(let options, _) = try Command.read(["graph"], flows: flows) else {
                return nil
            }
            return options
        }
        #expect(try graph(flowsWithoutGame) == .graph(flow: "quiz", .text(.mermaid)))
        #expect(
            try graph(flowsWithoutGame + [AnyFlow(Game())])
                == .graph(flow: "game", .text(.mermaid)))
        #expect(throws: CommandError.self) { try graph([]) }
        for words in [["lint", "game"], ["replay", "--flow", "game", "d"], ["paths", "game"]] {
            #expect(throws: CommandError.self) { try Command.read(words, flows: flowsWithoutGame) }
        }
        #expect(throws: Never.self) { try Command.read(["lint", "quiz"], flows: flowsWithoutGame) }
    }
}
