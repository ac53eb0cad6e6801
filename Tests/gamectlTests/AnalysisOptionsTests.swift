import FlowAnalysis
import GameFlow
import Shell
import Testing

@testable import gamectl

@Suite struct AnalysisOptionsTests {
    private func order(_ words: String...) throws -> AnalysisOptions {
        guard case .prove(let order, _) = try Command.read(words) else {
            throw Failure.usage("no order to prove")
        }
        return order
    }

    private func failure(_ words: String...) -> Failure? {
        do throws(Failure) {
            _ = try Command.read(words)
            return nil
        } catch { return error }
    }

    @Test func `the flow may be left out, and then all are meant`() throws {
        #expect(try order("lint") == .lint(flow: nil))
        #expect(try order("races", "quiz") == .races(flow: "quiz"))
        #expect(
            try order("paths", "--to", "error", "startup") == .paths(flow: "startup", to: "error"))
        #expect(try order("paths", "game", "--scenario") == .tour(flow: "game"))
        #expect(
            try order("test", "--coverage", "a", "b") == .test(files: ["a", "b"], coverage: true))
    }

    @Test func `a graph is Mermaid of the game unless told otherwise`() throws {
        #expect(try order("graph") == .graph(flow: "game", .text(.mermaid)))
        #expect(try order("graph", "quiz", "--format", "dot") == .graph(flow: "quiz", .text(.dot)))
        #expect(try order("graph", "--format=svg") == .graph(flow: "game", .picture("svg")))
    }

    @Test func `what cannot be meant is a usage error with a hint`() {
        #expect(failure("lint", "gaem")?.message.contains("did you mean game?") == true)
        #expect(failure("graph", "nowhere")?.message.contains("there is game, startup") == true)
        for words in [
            ["graph", "--format", "gif"], ["test"], ["lint", "game", "quiz"],
            ["paths", "--scenario"], ["paths", "game", "--scenario", "--to", "help"],
            ["lint", "--coverage"], ["send", "pause", "--format", "dot"], ["status", "--to", "x"],
        ] {
            let error = #expect(throws: Failure.self) { _ = try Command.read(words) }
            #expect(error?.status == .usage, "\(words)")
        }
    }

    @Test func `a check that fails ends with 6, a file that cannot be read with 2`() {
        #expect(Failure.check("x").status.rawValue == 6)
        #expect(Failure.malformed(["x"]).status.rawValue == 2)
        let error = #expect(throws: Failure.self) {
            try ScenarioVerb(
                ["/nowhere/a", "/nowhere/b"], coverage: false, isJSON: false, Terminal(-1)
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
}
