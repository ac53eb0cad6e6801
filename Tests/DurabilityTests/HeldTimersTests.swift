import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// An operator pauses all timers of a session, and resumes those later.
@Suite struct HeldTimersTests: PlaysRecordedGame {
    private static let text = """
        flow: room
        start: playing
        events: {ask: , close: , freeze: , go: }
        states:
          playing:
            timers:
              timeUp: {after: 10m, overtime: true}
              doors: {until: '00:30'}
              lamp: {after: 1m}
              gas: {after: 5m, paused: true}
            on:
              timeUp: stay
              doors: stay
              lamp: stay
              gas: stay
              freeze: {pause: lamp}
              go: {resume: gas}
              ask: hint
          hint:
            timers: {read: {after: 1m}}
            on: {read: {back: true}, close: {back: true}}
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    private func operate(_ fires: String, _ action: TimerOperation.Action) throws {
        try fixture.sessions.operate(TimerOperation(fires, action), on: session(), context)
    }

    /// The names of the paused timers, with `!` after those that are held.
    private var paused: [String] {
        get throws {
            try session().machine.liveTimers.filter { $0.info.isPaused }.map {
                $0.fires + ($0.info.traits.contains(.held) ? "!" : "")
            }
        }
    }

    @Test func `resume of all resumes only what pause of all has stopped`() throws {
        try send("freeze")
        try operate("doors", .pause)
        try operate("*", .pause)
        #expect(try paused == ["timeUp!", "doors", "lamp", "gas"])
        fixture.restart(after: .seconds(60))
        #expect(try paused == ["timeUp!", "doors", "lamp", "gas"])
        try operate("*", .resume)
        #expect(try paused == ["doors", "lamp", "gas"])
        try operate("*", .resume)
        #expect(try paused == ["lamp", "gas"])
        let seq = try session().seq
        try operate("*", .resume)
        #expect(try session().seq == seq)
        expectReplays()
    }

    @Test func `a held timer that is resumed by its name is no longer held`() throws {
        try operate("*", .pause)
        try operate("lamp", .resume)
        #expect(try paused == ["timeUp!", "doors!", "gas"])
        try operate("lamp", .pause)
        #expect(try paused == ["timeUp!", "doors!", "lamp", "gas"])
        try operate("*", .resume)
        #expect(try paused == ["lamp", "gas"])
        expectReplays()
    }

    @Test func `resume of all also resumes what is held in the states behind`() throws {
        fixture.advance(by: .seconds(10))
        try operate("*", .pause)
        try send("ask")
        #expect(try paused == [])
        fixture.restart(after: .seconds(5))
        try operate("*", .resume)
        fixture.advance(by: .seconds(20))
        try send("close")
        #expect(try paused == ["gas"])
        #expect(try left("timeUp") == .seconds(590))
        #expect(try left("lamp") == .seconds(50))
        #expect(try left("doors") == .seconds(1800 - 35))
        expectReplays()
    }

    @Test func `an undo takes back the resuming in the states behind`() throws {
        try operate("*", .pause)
        try send("ask")
        try operate("*", .resume)
        try fixture.sessions.undo(session(), context)
        try send("close")
        #expect(try paused == ["timeUp!", "doors!", "lamp!", "gas"])
        expectReplays()
    }

    @Test func `time does not pass for what is held`() throws {
        try operate("*", .pause)
        fixture.advance(by: .seconds(3600))
        #expect(try left("timeUp") == .seconds(600))
        try operate("*", .resume)
        // Its time of day is over.
        #expect(try left("doors") == .zero)
        fixture.advance(by: .seconds(601))
        #expect(try info("timeUp").isInOvertime)
        expectReplays()
    }
}
