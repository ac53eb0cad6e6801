import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// The data of a flow, which every state carries.
@Suite struct FlowDataTests {
    private static let text = """
        flow: show
        start: lobby
        data:
          round: {type: integer 1..9 = 1, title: Round}
          scores: tally = none
          code: {type: optional text, hidden: players}
        events:
          begin: {code: text}
          point: {team: text}
          next:
          over: {round: integer}
        states:
          lobby:
            data: {players: integer = 0}
            on:
              begin: {to: playing, with: {code: =event.code}}
          playing:
            data: {question: text = '?'}
            on:
              point: {with: {scores: ='add(scores, team, round)'}}
              next:
                - {if: round < 9, to: playing, with: {round: =round + 1}}
                - {refuse: that was the last round}
              over: {to: done, with: {round: =event.round}}
          done: {final: true}
        always:
          - {that: round > 0}
        """.replacing("='add(scores, team, round)'", with: "'=add(scores, team, round)'")

    private func show() throws -> PlayedFlow {
        let game = try PlayedFlow(Self.text)
        game.send("begin", Member("code", "0451"))
        return game
    }

    @Test
    func `every state carries the data of the flow after its own, and only with changes them`()
        throws
    {
        let game = try show()
        let before: [Member] = [
            Member("question", "?"), Member("round", 1), Member("scores", .object([])),
            Member("code", "0451"),
        ]
        #expect(game.data == before)
        game.send("next")
        game.send("point", Member("team", "owls"))
        #expect(game.data["round"] == .int(2))
        #expect(game.data["scores"] == .object([Member("owls", 2)]))
        #expect(game.send("over", Member("round", 5)) == "done")
        #expect(
            game.data == [
                Member("round", 5), Member("scores", .object([Member("owls", 2)])),
                Member("code", "0451"),
            ])
    }

    @Test func `an opening takes the data that it is given, and the defaults of the others`() throws
    {
        let game = PlayedFlow(try flowFile(Self.text).flow)
        try game.open("playing", [Member("round", 3)])
        #expect(
            game.data == [
                Member("question", "?"), Member("round", 3), Member("scores", .object([])),
            ])
    }

    @Test func `a goto keeps the data of the flow, except those that it gives`() throws {
        let game = try show()
        game.send("next")
        try game.machine.goto("lobby", [Member("code", .null)], from: .program)
        #expect(
            game.data == [
                Member("players", 0), Member("round", 2), Member("scores", .object([])),
            ])
        try game.machine.goto("playing", [Member("round", 7)], from: .program)
        #expect(game.data["round"] == .int(7))
    }

    @Test func `a value that the datum does not allow refuses the event`() throws {
        let game = try show()
        try game.machine.goto("playing", [Member("round", 9)], from: .program)
        #expect(game.send("next") == "invalid: that was the last round")
        #expect(game.send("over", Member("round", 10)) == "invalid: round: not within 1…9")
    }

    @Test func `a description has the time of a timer with the defaults of the data`() throws {
        let text = """
            flow: t
            start: a
            settings: {think: 30s}
            events: {go: {}}
            states:
              a:
                data: {rest: {type: optional duration = null}}
                timers: {late: {after: "=given(rest, settings.think)"}}
                on: {late: a, go: a}

            """
        let timer = try #require(flowFile(text).flow.survey[0].timers.first)
        #expect(timer.info.total == .seconds(30))
    }

    @Test func `describe marks the data of the flow`() throws {
        let flow = try flowFile(Self.text).flow
        let fields = flow.data(of: "lobby")
        #expect(fields.map(\.name) == ["players", "round", "scores", "code"])
        #expect(fields.map(\.isOfFlow) == [false, true, true, true])
    }

    private func file(_ data: String, _ state: String, events: String = "go: {n: integer}")
        -> String
    {
        """
        flow: f
        start: a
        data: {\(data)}
        events: {\(events)}
        states:
          a: {\(state)}
        """
    }

    @Test func `wrong uses of the data of a flow are mistakes with their positions`() {
        #expect(
            findings(file("n: integer", "")) == [
                "3:8: n needs a default, because it is there from the opening on: n: integer = …"
            ])
        #expect(
            findings(file("n: integer = 0", "data: {n: integer = 1}")) == [
                "6:14: n is a datum of the flow, which every state carries; remove it here"
            ])
        #expect(
            findings(file("n: integer = 0", "on: {go: {with: {n: =n}}}")) == [
                "6:28: n is a datum of the flow and an argument of the event; write event.n or state.n"
            ])
        #expect(
            findings(file("n: integer = 0", "on: {go: a}")) == [
                "6:16: the event's argument n does not change the flow's datum n; write `with: {n: =event.n}`, or =state.n to keep it"
            ])
        #expect(findings(file("n: integer = 0", "on: {go: {to: a, with: {n: =event.n}}}")) == [])
        let many = (0..<60).map { "d\($0): integer = 0" }.joined(separator: ", ")
        let own = (0..<5).map { "e\($0): integer = 0" }.joined(separator: ", ")
        #expect(findings(file(many, "data: {\(own)}")) == ["6:3: \(FlowFileLimit.data.sentence)"])
    }
}
