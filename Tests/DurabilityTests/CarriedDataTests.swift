import Durability
import FlowFiles
import GameFlow
import Sessions
import Testing
import Timers

/// The data of a flow, which every state carries: they survive a restart, an undo and a replay.
@Suite struct CarriedDataTests {
    private static let text = """
        flow: show
        start: lobby
        data: {round: integer = 1, code: optional text}
        events:
          begin: {secret: text}
          next:
        states:
          lobby:
            on: {begin: {to: playing, with: {code: =secret}}}
          playing:
            on: {next: {to: playing, with: {round: =round + 1}}}
        """

    private let flow: AnyFlow
    private let fixture: RestartFixture
    private let context = RequestContext(from: .program)

    init() throws {
        flow = try FlowFile(text: Array(Self.text.utf8), file: "show.yaml").flow
        fixture = RestartFixture([flow])
        _ = try fixture.sessions.open(.main, flow, context)
        try send("begin", Member("secret", "0451"))
        try send("next")
    }

    private func session() throws -> Session { try fixture.sessions.session(.main) }

    private func send(_ event: String, _ arguments: Member...) throws {
        _ = try fixture.sessions.send(event, arguments, to: session(), context)
    }

    private func data() throws -> [Member] { try session().machine.place.data }

    private func expectReplays() {
        let replay = JournalReplay([flow])
        for row in fixture.rows { #expect(replay.execute(row) == nil) }
    }

    @Test func `a restart and an undo give the data of then`() throws {
        let before: [Member] = [Member("round", 2), Member("code", "0451")]
        #expect(try data() == before)
        fixture.restart(after: .seconds(5))
        #expect(try data() == before)
        try send("next")
        try fixture.sessions.undo(session(), context)
        #expect(try data() == before)
        expectReplays()
    }

    @Test func `a goto that sets a datum to null is replayed as it was`() throws {
        try fixture.sessions.goto("lobby", [Member("code", .null)], session(), context)
        #expect(try data() == [Member("round", 2)])
        try fixture.sessions.goto("playing", [], session(), context)
        #expect(try data() == [Member("round", 2)])
        expectReplays()
    }
}
