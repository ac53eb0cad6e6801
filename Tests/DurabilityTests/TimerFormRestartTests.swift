import Durability
import FlowFiles
import GameFlow
import Sessions
import TestSupport
import Testing
import Timers

/// Timers that begin paused, stopwatches, overtime and marks survive a restart, an undo and a replay.
@Suite struct TimerFormRestartTests: PlaysRecordedGame {
    private static let text = """
        flow: talk
        start: speaking
        events: {go: }
        effects: [bell]
        states:
          speaking:
            timers:
              lamp: {after: 3s, paused: true}
              work: {up: true, restart: remaining}
              end: {after: 1m, overtime: true, restart: remaining}
              last: {when: {left: 10s, of: end}}
            on:
              lamp: stay
              end: stay
              last: {do: bell}
              go: {resume: lamp}
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    @Test func `a countdown that has fired without a change does not fire again`() throws {
        fixture.advance(by: .seconds(65))
        #expect(try info("end").isInOvertime)
        let seq = try session().seq
        fixture.restart(after: .seconds(5))
        #expect(try info("end").isInOvertime)
        #expect(try info("end").remaining == .seconds(-5))
        #expect(try info("work").spent == .seconds(65))
        #expect(try info("lamp").traits.contains(.beginsPaused))
        fixture.advance(by: .seconds(30))
        #expect(try session().seq == seq)
        expectReplays()
    }

    @Test func `a mark that has fired does not fire again`() throws {
        fixture.advance(by: .seconds(55))
        let seq = try session().seq
        fixture.restart(after: .seconds(5))
        fixture.advance(by: .seconds(1))
        #expect(try session().seq == seq)
        #expect(try info("last").mark?.canFire == false)
        expectReplays()
    }

    @Test func `an undo of a mark's firing does not fire it again`() throws {
        fixture.advance(by: .seconds(51))
        try fixture.sessions.undo(session(), context)
        #expect(try info("end").remaining == .seconds(10))
        let seq = try session().seq
        fixture.advance(by: .seconds(5))
        #expect(try session().seq == seq)
        expectReplays()
    }

    @Test func `a timer that was started is recorded as started`() throws {
        _ = try fixture.sessions.send("go", [], to: session(), context)
        fixture.advance(by: .seconds(1))
        fixture.restart(after: .seconds(1))
        #expect(try !info("lamp").isPaused)
        #expect(try !info("lamp").traits.contains(.beginsPaused))
        fixture.advance(by: .seconds(5))
        #expect(try session().machine.timer("lamp") == nil)
        expectReplays()
    }

    /// Requests, operations, restarts, hand-overs and standstills.
    @Test(arguments: seeds(20)) func `random steps are replayed as they were`(_ seed: UInt64) throws
    {
        try expectRandomStepsReplay(seed)
    }
}
