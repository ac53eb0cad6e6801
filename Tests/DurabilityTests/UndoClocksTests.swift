import Durability
import FlowFiles
import GameFlow
import Journal
import Sessions
import TestSupport
import Testing
import Timers

/// An undo after which the timers have run on since the undone step.
@Suite struct UndoClocksTests: PlaysRecordedGame {
    private static let text = """
        flow: talk
        start: speaking
        events: {note: , stop: , hold: }
        effects: [bell]
        states:
          speaking:
            timers:
              lamp: {after: 30s}
              tick: {every: 7s}
              work: {up: true, restart: remaining}
              end: {after: 1m, overtime: true, restart: remaining}
              last: {when: {left: 40s, of: end}}
              doors: {until: '00:01:10'}
            on:
              lamp: {do: bell}
              tick: stay
              end: {do: bell}
              last: {do: bell}
              doors: {do: bell}
              note: {do: bell}
              hold: {pause: [lamp, work]}
              stop: silent
          silent:
            timers: {back: {after: 1h}}
            on: {back: speaking}
        """

    let game: RecordedGame

    init() throws { game = try RecordedGame(Self.text) }

    private func undo(_ clocks: UndoClocks) throws {
        try fixture.sessions.undo(clocks: clocks, session(), context)
        // A daemon fires due timers after each request.
        fixture.advance(by: .zero)
    }

    /// The timers, each with the seconds that it has left or has spent.
    private func timers() throws -> [String] {
        try session().machine.liveTimers.filter { $0.info.mark == nil }.map { timer in
            let time = timer.info.kind == .stopwatch ? timer.info.spent : timer.info.remaining
            return "\(timer.fires) \(time.milliseconds / 1000)"
                + (timer.info.isPaused ? " paused" : "") + (timer.info.isInOvertime ? " fired" : "")
        }
    }

    /// The events of all changes, or their kinds.
    private func events() throws -> [String] {
        try fixture.rows.compactMap { row in
            guard case .change(let recorded) = try row.record().body else { return nil }
            return recorded.change.step.event?.name ?? recorded.change.kind.name
        }
    }

    @Test func `timers have what they had, or have run since`() throws {
        fixture.advance(by: .seconds(5))
        try send("stop")
        fixture.advance(by: .seconds(10))
        try undo(.still)
        #expect(
            try timers() == ["lamp 25", "tick 2", "work 5", "end 55", "doors 55"])
        try send("stop")
        fixture.advance(by: .seconds(10))
        try undo(.run)
        // The pendulum keeps its beat: at 17, 24 and 31 seconds.
        #expect(
            try timers() == ["lamp 15", "tick 6", "work 15", "end 45", "doors 45"])
        expectReplays()
    }

    @Test func `what is over fires after the undo, by its deadline`() throws {
        try send("stop")
        fixture.advance(by: .seconds(75))
        let count = try events().count
        try undo(.run)
        #expect(try timers() == ["tick 2", "work 75", "end -15 fired"])
        #expect(try events()[count...] == ["undo", "last", "lamp", "end", "doors"])
        expectReplays()
    }

    @Test func `the countdown whose firing is undone comes back paused with nothing left`() throws {
        fixture.advance(by: .seconds(30))
        #expect(try events().last == "lamp")
        fixture.advance(by: .seconds(4))
        try undo(.run)
        #expect(try timers().sorted().contains("lamp 0 paused"))
        #expect(try timers().contains("end 26"))
        expectReplays()
    }

    @Test func `with overtime it has what it has now, and does not fire again`() throws {
        fixture.advance(by: .seconds(60))
        #expect(try events().last == "end")
        fixture.advance(by: .seconds(4))
        let count = try events().count
        try undo(.run)
        #expect(try timers().contains("end -4 fired"))
        #expect(try events()[count...] == ["undo"])
        expectReplays()
    }

    @Test func `paused timers stay paused`() throws {
        fixture.advance(by: .seconds(5))
        try send("hold")
        fixture.advance(by: .seconds(1))
        try send("note")
        fixture.advance(by: .seconds(3))
        try undo(.run)
        #expect(
            try timers().sorted() == [
                "doors 61", "end 51", "lamp 25 paused", "tick 5", "work 5 paused",
            ])
        expectReplays()
    }

    @Test func `an undo over several steps counts from the first`() throws {
        fixture.advance(by: .seconds(1))
        try send("note")
        fixture.advance(by: .seconds(2))
        try send("stop")
        fixture.advance(by: .seconds(2))
        try fixture.sessions.undo(after: 1, clocks: .run, session(), context)
        #expect(try timers() == ["lamp 25", "tick 2", "work 5", "end 55", "doors 65"])
        expectReplays()
    }

    @Test(arguments: seeds(20)) func `random steps are replayed as they were`(_ seed: UInt64) throws
    {
        try expectRandomStepsReplay(seed, count: 150, undoInterval: 5)
    }
}
