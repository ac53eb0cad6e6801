import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// Timers that fire at a time of day survive a restart, a hand-over, an undo and a replay, also on another wall clock.
@Suite struct UntilRestartTests: PlaysRecordedGame {
    private static let text = """
        flow: doors
        start: closed
        events: {hold: , go: , again: , note: , restart: }
        effects: [bell]
        states:
          closed:
            data: {notes: integer = 0}
            timers:
              tick: {every: 1h, restart: deadline}
              doors: {until: '20:00'}
              last: {after: 30h}
            on:
              tick: stay
              last: {do: bell}
              doors: open
              hold: {pause: doors}
              go: {resume: doors}
              again: closed
              restart: {restart: doors}
              note: {with: {notes: =notes + 1}}
          open:
            timers: {home: {after: 1h}}
            on: {home: closed}
        """

    let game: RecordedGame

    init() throws {
        game = try RecordedGame(Self.text) { fixture in
            // On a wall clock that the replay does not have: 02:00 at the beginning.
            fixture.time.timerQueue.wallClock = CivilClock(
                try #require(ClockZone.named("Asia/Tokyo")), lead: .seconds(-7 * 3600))
        }
    }

    @Test func `a restart keeps the deadline, also in another zone`() throws {
        #expect(try info("doors").remaining == .seconds(18 * 3600))
        fixture.advance(by: .seconds(3600))
        fixture.restart(after: .seconds(3600))
        #expect(try info("doors").remaining == .seconds(16 * 3600))
        #expect(try session().machine.timer("doors")?.until?.zone == "Asia/Tokyo")
        fixture.advance(by: .seconds(16 * 3600))
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `a deadline that passed while gamed was down fires at once`() throws {
        fixture.advance(by: .seconds(3600))
        fixture.restart(after: .seconds(20 * 3600))
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `a hand-over keeps the deadline, and resume sets it again`() throws {
        try send("hold")
        fixture.advance(by: .seconds(3600))
        fixture.handOver(after: .seconds(60))
        #expect(try info("doors").isPaused)
        try send("go")
        #expect(try info("doors").remaining == .seconds(17 * 3600 - 60))
        fixture.advance(by: .seconds(17 * 3600))
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `an undo keeps the deadline`() throws {
        try send("note")
        fixture.advance(by: .seconds(7200))
        try fixture.sessions.undo(session(), context)
        #expect(try info("doors").remaining == .seconds(16 * 3600))
        #expect(try info("last").remaining == .seconds(30 * 3600))
        expectReplays()
    }

    @Test func `an undo of its firing gives it back paused, and resume fires it at once`() throws {
        fixture.advance(by: .seconds(18 * 3600))
        #expect(try session().machine.place.state == "open")
        fixture.advance(by: .seconds(60))
        try fixture.sessions.undo(session(), context)
        #expect(try info("doors").isPaused)
        #expect(try info("doors").remaining == .zero)
        #expect(try session().machine.timer("doors")?.until?.time == TimeOfDay(hour: 20))
        try send("go")
        fixture.advance(by: .zero)
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `a state that is entered again, and a restarted timer, are replayed`() throws {
        fixture.advance(by: .seconds(19 * 3600))
        #expect(try session().machine.place.state == "closed")
        try send("again")
        fixture.advance(by: .seconds(100))
        try send("restart")
        fixture.advance(by: .seconds(40 * 3600))
        expectReplays()
    }

    /// Requests, operations, restarts, hand-overs and standstills.
    @Test(arguments: seeds(20)) func `random steps are replayed as they were`(_ seed: UInt64) throws
    {
        try expectRandomStepsReplay(seed) { fixture in
            fixture.time.timerQueue.wallClock = CivilClock(.utc, lead: .seconds(72_000 - 30))
        }
    }

    // MARK: the wall clock is set

    private var lead: Duration { fixture.time.timerQueue.wallClock.lead }

    @Test func `a step of the wall clock computes the deadline again, as a change`() throws {
        let (seq, lead) = (try session().seq, lead)
        fixture.advance(by: .seconds(3600))
        fixture.sessions.followWallClock(withLead: lead + .milliseconds(900))
        #expect(try session().seq == seq)
        fixture.sessions.followWallClock(withLead: lead + .seconds(1800))
        let change = try #require(try session().last)
        #expect(try session().seq == seq + 1)
        #expect(change.step.kind.description == "step of kind 7")
        #expect(change.step.source.kind == .timer)
        #expect(try info("doors").remaining == .seconds(17 * 3600 - 1800))
        // The same lead again changes nothing.
        fixture.sessions.followWallClock(withLead: lead + .seconds(1800))
        #expect(try session().seq == seq + 1)
        fixture.advance(by: .seconds(17 * 3600 - 1800))
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `a step over the time fires the timer at once`() throws {
        fixture.advance(by: .seconds(12 * 3600))
        fixture.sessions.followWallClock(withLead: lead + .seconds(7 * 3600))
        fixture.advance(by: .zero)
        #expect(try session().machine.place.state == "open")
        expectReplays()
    }

    @Test func `if the state was entered after the time, it waits for the next day`() throws {
        fixture.advance(by: .seconds(60))
        fixture.sessions.followWallClock(withLead: lead + .seconds(19 * 3600))
        #expect(try info("doors").remaining == .seconds(23 * 3600 - 60))
        expectReplays()
    }

    @Test func `a step back does not fire again what has just fired`() throws {
        fixture.advance(by: .seconds(19 * 3600))
        // Entered at 21:00. On the corrected clock, it is 19:59, and then 20:00.
        try send("again")
        fixture.advance(by: .seconds(120))
        fixture.sessions.followWallClock(withLead: lead + .seconds(-61 * 60))
        fixture.advance(by: .zero)
        #expect(try session().machine.place.state == "closed")
        #expect(try info("doors").remaining == .seconds(24 * 3600 - 60))
        expectReplays()
    }

    @Test func `a paused timer gets the new deadline, too`() throws {
        try send("hold")
        fixture.advance(by: .seconds(3600))
        fixture.sessions.followWallClock(withLead: lead + .seconds(3600))
        #expect(try info("doors").isPaused)
        try send("go")
        #expect(try info("doors").remaining == .seconds(16 * 3600))
        expectReplays()
    }

    @Test func `an undo does not take back that the wall clock was set`() throws {
        try send("note")
        fixture.advance(by: .seconds(3600))
        fixture.sessions.followWallClock(withLead: lead + .seconds(1800))
        try fixture.sessions.undo(session(), context)
        #expect(try session().machine.place.data == [Member("notes", 0)])
        fixture.sessions.followWallClock(withLead: lead)
        #expect(try info("doors").remaining == .seconds(17 * 3600 - 1800))
        expectReplays()
    }
}
