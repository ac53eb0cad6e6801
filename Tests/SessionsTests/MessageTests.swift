import FlowFiles
import GameFlow
import JSONCoding
import RPC
import Sessions
import Testing
import Timers

/// Messages on the screens of a session: how long they are shown, and what undo does with them.
@Suite struct MessageTests {
    private static let text = """
        flow: cellar
        start: lobby
        events: {begin: , hint: {say: text}, brief: {say: text}, whole: {say: text}, open: , again: , leave: }
        settings: {long: 1m}
        effects: [say, light]
        states:
          lobby: {on: {begin: {to: playing, do: [say: {text: Go}]}}}
          playing:
            timers: {tick: {every: 10m}}
            on:
              hint: {do: [say: {text: =say}]}
              brief: {do: [say: {text: =say, for: 30s}]}
              whole: {do: [say: {text: =say, until: game}]}
              open: {to: won, do: [say: {text: Open, for: =settings.long}]}
              again: playing
              leave: won
              tick: stay
          won: {on: {again: playing, leave: lobby, hint: {do: [say: {text: =say}]}}}
        """

    private let clock = VirtualClock()
    private let sessions: Sessions
    private let session: Session
    private let operators = RequestContext(from: SessionsFixture.player)

    init() throws {
        let flow = try FlowFile(text: Array(Self.text.utf8), file: "cellar.yaml").flow
        sessions = Sessions([flow], on: clock)
        session = try sessions.open(
            .main, flow, RequestContext(from: SessionsFixture.player))
        try send("begin")
    }

    @discardableResult private func send(_ event: String, _ text: String? = nil) throws -> Change {
        let arguments = text.map { [Member("say", .string($0))] } ?? []
        return try sessions.send(event, arguments, to: session, operators).value
    }

    /// The text that the screens show; nil if they show none.
    private var shown: String? {
        session.message.flatMap { $0.isShown(at: sessions.now) ? $0.text : nil }
    }

    private func end() { session.machine.end() }

    @Test func `a message of the flow ends with the state that showed it`() throws {
        #expect(shown == "Go")
        try send("hint", "Look")
        #expect(shown == "Look")
        clock.advance(by: .minutes(25))
        #expect(shown == "Look")
        try send("leave")
        #expect(shown == nil)
        end()
    }

    @Test func `entering the same state again ends its message, too`() throws {
        try send("hint", "Look")
        try send("again")
        #expect(shown == nil)
        end()
    }

    @Test func `first the old message ends, then the row's own appears`() throws {
        try send("hint", "Look")
        let change = try send("open")
        #expect(shown == "Open")
        #expect(change.message == .shown(try #require(session.message)))
        end()
    }

    @Test func `for limits a message, written as a literal or computed`() throws {
        try send("brief", "Look")
        clock.advance(by: .seconds(29))
        #expect(shown == "Look")
        clock.advance(by: .seconds(1))
        #expect(shown == nil)
        try send("open")
        clock.advance(by: .seconds(59))
        #expect(shown == "Open")
        clock.advance(by: .seconds(1))
        #expect(shown == nil)
        end()
    }

    @Test func `a message for the game ends when the start is entered`() throws {
        try send("whole", "All evening")
        try send("leave")
        #expect(shown == "All evening")
        try send("leave")
        #expect(shown == nil)
        end()
    }

    @Test func `the operator's message stays until the start is entered`() throws {
        try sessions.say("Please wait", session, operators)
        try send("leave")
        #expect(shown == "Please wait")
        try sessions.goto("lobby", [], session, operators)
        #expect(shown == nil)
        end()
    }

    @Test func `undo puts back the flow's message of before`() throws {
        try send("hint", "First")
        try send("hint", "Second")
        try sessions.undo(session, operators)
        #expect(shown == "First")
        try sessions.undo(session, operators)
        #expect(shown == "Go")
        try send("leave")
        #expect(shown == nil)
        try sessions.undo(session, operators)
        #expect(shown == "Go")
        end()
    }

    @Test func `undo leaves an operator's newer message`() throws {
        try send("hint", "First")
        try sessions.say("Please wait", session, operators)
        try sessions.undo(session, operators)
        #expect(shown == "Please wait")
        end()
    }

    @Test func `undo does not put back what an operator has removed since`() throws {
        try sessions.say("Please wait", session, operators)
        try send("hint", "First")
        try sessions.say("", session, operators)
        try sessions.undo(session, operators)
        #expect(shown == nil)
        // A message of the flow that was removed before the step stays away; a newer one of the operator stays.
        try send("hint", "Second")
        try sessions.say("", session, operators)
        try sessions.say("Soon", session, operators)
        try sessions.undo(session, operators)
        #expect(shown == "Soon")
        end()
    }

    @Test func `undo puts back nothing when it enters the start`() throws {
        try sessions.say("Please wait", session, operators)
        try sessions.undo(session, operators)
        #expect(session.machine.place.state == "lobby")
        #expect(shown == nil)
        end()
    }

    @Test func `a change says how it changed the message, and a change of kind say does not`()
        throws
    {
        let hint = try send("hint", "Look")
        #expect(hint.message == .shown(.init(text: "Look", seq: 3, until: nil, scope: .state)))
        #expect(try send("leave").message == .ended)
        #expect(try send("again").message == nil)
        #expect(try sessions.say("Wait", session, operators).value.message == nil)
        #expect(try send("leave").message == nil)
        // A message whose time is over was not on the screens any more.
        try send("again")
        try send("brief", "Short")
        clock.advance(by: .minutes(1))
        #expect(try send("again").message == nil)
        end()
    }

    @Test func `clients get the message as an object or as null`() throws {
        func json(_ change: Change) -> String {
            var writer = JSONWriter()
            Encoder().write(change, .full, to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
        #expect(
            json(try send("brief", "Look")).contains(
                #""message":{"text":"Look","seq":3,"untilMs":30000}"#))
        #expect(json(try send("leave")).contains(#""message":null"#))
        #expect(!json(try send("again")).contains(#""message""#))
        end()
    }
}
