import GameFlow
import Testing

@testable import FlowFiles

/// The key `players` of a state: the data and timers that the players' screen draws.
@Suite struct PlayersListTests {
    private func text(_ list: String) -> String {
        """
        flow: f
        start: a
        events: {go: {}}
        data: {scores: tally = none, secret: {type: text = x, hidden: players}}
        states:
          a:
            data: {best: duration = 5s, round: integer = 1}
            timers: {end: {after: 10s}, trick: {after: 5s, hidden: players}}
            on: {go: stay, end: stay, trick: stay}
            players: \(list)
        """
    }

    @Test func `the list keeps its order and has the names of the wire`() throws {
        let flow = try flowFile(text("[end, best, scores]")).flow
        #expect(flow.presentation.states["a"]?.drawnNames == ["end", "bestMs", "scores"])
        let empty = try flowFile(text("[]")).flow
        #expect(empty.presentation.states["a"]?.drawnNames == [])
    }

    @Test func `a state without the list does not choose`() throws {
        let flow = try flowFile(text("[]").replacing("    players: []", with: "")).flow
        #expect(flow.presentation.states["a"]?.drawnNames == nil)
    }

    @Test(arguments: [
        ("[nothing]", "there is no datum or timer nothing"),
        ("[scores, scores]", "scores is in the list already"),
        ("[secret]", "secret is hidden from players"), ("[trick]", "trick is hidden from players"),
        ("{a: b}", "expected the name of a datum or timer, not a map"),
    ])
    func `a wrong name is a mistake`(_ list: String, _ sentence: String) {
        let found = findings(text(list))
        #expect(found.contains { $0.contains(sentence) }, "\(found)")
    }
}
