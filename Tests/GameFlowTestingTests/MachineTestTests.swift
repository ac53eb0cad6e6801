import FlowAnalysis
import GameFlow
import GameFlowTesting
import ShippedFlows
import Testing
import Timers

/// A view that sends an event to a machine or to a spy; it does not know which.
private struct StartButton {
    func tap(_ machine: some MachineProtocol<Game.State, Game.Event>) {
        _ = try? machine.send(.startPlaying)
    }
}

@Suite struct MachineTestTests {
    @Test func `a test advances its clock and expects states and data by name`() throws {
        let test = MachineTest(Game())
        try test.send(.startPlaying)
        test.after(.seconds(60))
        test.expect(.introduction)
        try test.start(.playingLevel, [Member("episode", 1), Member("level", 2)])
        test.expectTimers("timeUp", "tick")
        test.after(.seconds(90))
        test.expect(.finishedLevel, score: 0)
        test.expect(.finishedLevel, ["episode": 1, "level": 2])
        test.expectRefusal(.pause, .noTransition)
    }

    @Test func `a failed expectation prints the history`() throws {
        let test = MachineTest(Game())
        try test.send(.startPlaying)
        test.after(.seconds(60))
        withKnownIssue {
            test.expect(.help)
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return text.contains("expected help, found introduction")
                && text.contains("send startPlaying") && text.contains("→ introduction")
        }
        withKnownIssue { test.expect(.introduction, ["episode": 1]) }
        withKnownIssue { test.expectTimers("idle") }
        withKnownIssue { test.expectRefusal(.startPlaying) }
    }

    @Test func `lint finds nothing in the shipped game, and its timers have no race`() {
        #expect(Game().lint().isEmpty)
        #expect(Game().races().isEmpty)
        #expect(!Game().races(withEvents: true).isEmpty)
    }

    @Test func `a spy records the events that it receives`() {
        let spy = SpyMachine<Game>()
        StartButton().tap(spy)
        #expect(spy.received == [.startPlaying])
        spy.refuse = { $0 == .startPlaying ? .finished : nil }
        #expect(!spy.can(.startPlaying))
        #expect(throws: Refusal<Game.State, Game.Event>.self) { try spy.send(.startPlaying) }
        // The spy also records the refused event.
        #expect(spy.received.count == 2)
        #expect(!spy.state.isPlaying)
    }

    @Test func `a view that works with a spy works with a machine, too`() {
        let machine = StateMachine(Game(), on: VirtualClock())
        StartButton().tap(machine)
        #expect(machine.accepts.contains("chooseEpisode"))
    }
}
