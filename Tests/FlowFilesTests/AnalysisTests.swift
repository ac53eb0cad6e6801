import FlowAnalysis
import GameFlow
import Testing

@testable import FlowFiles

/// Lint and the survey on flow files.
@Suite struct AnalysisTests {
    @Test func `lint finds nothing in the vault`() throws {
        let lint = Lint(try FlowFile(path: exampleFile("vault.yaml")).flow)
        #expect(lint.findings == [])
        #expect(lint.explored.isComplete)
    }

    @Test func `the survey finds every outcome of a row with conditions`() throws {
        let flow = try flowFile(smallVault).flow
        let playing = try #require(flow.survey.first { $0.state == "playing" })
        #expect(playing.successors == ["won", "lobby", "lost"])
        let hint = try #require(playing.results.first { $0.on == "hint" })
        // The event `hint` has the argument `say`. The row refuses the event when all hints are used.
        #expect(hint.outcomes.contains(.keeps(effects: ["show"])))
        #expect(hint.outcomes.contains(.refused(.invalid("say", "no hint is left"))))
    }

    @Test func `lint finds an unreachable state`() throws {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: }
            states:
              a: {on: {go: b}}
              b: {on: {go: a}}
              c: {on: {go: a}}
            """
        ).flow
        #expect(Lint(flow).findings == [.unreachableState("c")])
    }
}
