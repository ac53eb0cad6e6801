import Durability
import FlowFiles
import GameFlow
import Sessions
import Testing

/// A datum that is null although its default is not: a recorded state has no null, and must not get the default.
@Suite struct NullDataTests: PlaysRecordedGame {
    private static let text = """
        flow: room
        start: playing
        data: {team: optional text = nobody}
        events: {clear: , ask: , close: }
        states:
          playing:
            data: {word: optional text = hello, tries: integer = 3}
            on:
              clear: {with: {word: null, team: null}}
              ask: hint
          hint:
            on: {close: {back: true}}
        """

    let game: RecordedGame
    private let cleared = [Member("tries", 3)]

    init() throws {
        game = try RecordedGame(Self.text)
        try send("clear")
    }

    private func data() throws -> [Member] { try session().machine.place.data }

    @Test func `it stays null after a restart`() throws {
        #expect(try data() == cleared)
        fixture.restart(after: .seconds(5))
        #expect(try data() == cleared)
    }

    @Test func `it stays null after an undo and a transition back`() throws {
        try send("ask")
        try send("close")
        #expect(try data() == cleared)
        try send("ask")
        try fixture.sessions.undo(session(), RequestContext(from: .program))
        #expect(try data() == cleared)
        expectReplays()
    }

    @Test func `a goto that sets it to null is replayed as it was`() throws {
        let nulls = [Member("word", .null), Member("team", .null)]
        try fixture.sessions.goto("playing", nulls, session(), RequestContext(from: .program))
        #expect(try data() == cleared)
        expectReplays()
        try fixture.sessions.goto("playing", [], session(), RequestContext(from: .program))
        #expect(try data() == [Member("word", "hello")] + cleared)
        expectReplays()
    }
}
