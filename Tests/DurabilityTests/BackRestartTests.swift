import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// The moments to which sessions can go back survive a restart, a hand-over, an undo and a replay.
@Suite struct BackRestartTests: PlaysRecordedGame {
    private static let text = """
        flow: room
        start: playing
        events: {ask: , look: , close: , note: , over: }
        effects: [bell]
        states:
          playing:
            data: {notes: integer = 0}
            timers:
              timeUp: {after: 10m, restart: deadline}
              tick: {every: 7s}
              late: {after: 5s, overtime: true}
              last: {when: {left: 9m, of: timeUp}}
              work: {up: true, restart: remaining}
              doors: {until: '00:05'}
            on:
              timeUp: over
              tick: stay
              late: {do: bell}
              last: {do: bell}
              doors: {do: bell}
              note: {with: {notes: =notes + 1}}
              ask: hint
          hint:
            timers: {read: {after: 1m}}
            on: {read: {back: true}, close: {back: true}, look: detail}
          detail:
            on: {close: {back: true}, over: over}
          over:
            timers: {home: {after: 1m}}
            on: {home: playing}
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    @Test func `a restart keeps the moments, in which no time passes`() throws {
        fixture.advance(by: .seconds(10))
        try send("ask")
        try send("look")
        fixture.restart(after: .seconds(100))
        #expect(try session().machine.moments.map(\.place.state) == ["hint", "playing"])
        try send("close")
        #expect(try left("read") == .seconds(60))
        fixture.handOver(after: .seconds(3))
        try send("close")
        #expect(try left("timeUp") == .seconds(590))
        #expect(try left("late") == .seconds(-5))
        #expect(try left("tick") == .seconds(4))
        // 113 seconds have passed.
        #expect(try left("doors") == .seconds(187))
        expectReplays()
    }

    @Test func `an undo brings back the moment of then`() throws {
        try send("ask")
        try send("close")
        #expect(try session().machine.moments == [])
        try fixture.sessions.undo(session(), context)
        #expect(try state() == "hint")
        #expect(try session().machine.moments.map(\.place.state) == ["playing"])
        try send("close")
        #expect(try state() == "playing")
        expectReplays()
    }

    @Test func `what is refused changes nothing`() throws {
        _ = try fixture.sessions.goto("hint", [], session(), context)
        let seq = try session().seq
        #expect(throws: RequestError.self) { try send("close") }
        #expect(try session().seq == seq)
        // The timer's row is refused, and the state stays.
        fixture.advance(by: .seconds(60))
        #expect(try state() == "hint")
        expectReplays()
    }

    @Test(arguments: seeds(20)) func `random steps are replayed as they were`(_ seed: UInt64) throws
    {
        try expectRandomStepsReplay(seed, count: 200, undoInterval: 8)
    }
}
