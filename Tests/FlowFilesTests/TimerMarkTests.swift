import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Marks on countdowns: `when: {left: …, of: …}`.
@Suite struct TimerMarkTests {
    private static let text = """
        flow: talk
        start: speaking
        settings: {warn: 1m}
        events:
          hold:
          go:
          less: {by: duration}
          put: {to: duration}
          next: {left: duration}
        effects: [last, soon, over, late]
        states:
          speaking:
            timers:
              soon: {when: {left: 5m, of: end}}
              last: {when: {left: =settings.warn, of: end}}
              end: {after: 10m, overtime: true, restart: remaining}
              late: {when: {left: -1m, of: end}}
            clock: {timer: end, big: true}
            on:
              soon: {do: soon}
              last: {do: last}
              end: {do: over}
              late: {do: late}
              hold: {pause: end}
              go: {resume: end}
              less: {shorten: {end: =by}}
              put: {set: {end: =to}}
              next: {to: speaking, left: {end: =left}}
        """

    private func talk() throws -> PlayedFlow { try PlayedFlow(Self.text) }

    /// The effects of all steps, in their order.
    private func effects(_ game: PlayedFlow) -> [String] {
        game.steps.flatMap { $0.effects.map(\.name) }
    }

    @Test func `marks fire as the countdown passes them, before and after zero`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(5))
        #expect(effects(game) == ["soon"])
        game.clock.advance(by: .minutes(4))
        #expect(effects(game) == ["soon", "last"])
        game.clock.advance(by: .minutes(2))
        #expect(effects(game) == ["soon", "last", "over", "late"])
    }

    @Test func `a mark stands still with its countdown`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(4))
        game.send("hold")
        game.clock.advance(by: .minutes(30))
        #expect(effects(game) == [])
        #expect(game.machine.timer("soon")?.info.isPaused == true)
        game.send("go")
        game.clock.advance(by: .minutes(1))
        #expect(effects(game) == ["soon"])
        // A mark that can no longer fire stands still, too.
        #expect(game.machine.timer("soon")?.info.isPaused == false)
        game.send("hold")
        #expect(game.machine.timer("soon")?.info.isPaused == true)
    }

    @Test func `a mark that a jump has passed is due since the jump, and is not late`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(2))
        game.send("less", Member("byMs", 7 * 60_000))
        #expect(game.machine.timer("soon")?.info.deadline == game.clock.now)
    }

    @Test(arguments: ["tick", "less"])
    func `marks with the same time fire in the order of the file`(_ way: String) throws {
        let game = try PlayedFlow(
            """
            flow: marks
            start: counting
            events: {less: {by: duration}}
            effects: [a, b, c, d]
            states:
              counting:
                timers:
                  end: {after: 10m}
                  d: {when: {left: 1m, of: end}}
                  b: {when: {left: 2m, of: end}}
                  c: {when: {left: 2m, of: end}}
                  a: {when: {left: 3m, of: end}}
                on:
                  a: {do: a}
                  b: {do: b}
                  c: {do: c}
                  d: {do: d}
                  end: stay
                  less: {shorten: {end: =by}}
            """)
        if way == "less" { game.send("less", Member("byMs", 9 * 60_000 + 1)) }
        game.clock.advance(by: .minutes(10))
        #expect(effects(game) == ["a", "b", "c", "d"])
    }

    @Test func `a jump fires the marks that it passes, the larger first, after the change`() throws
    {
        let game = try talk()
        game.send("less", Member("byMs", 11 * 60_000))
        #expect(effects(game) == [])
        game.clock.fireDueTimers()
        #expect(effects(game) == ["soon", "last", "over", "late"])
    }

    @Test func `a mark fires again when the countdown passes it again`() throws {
        let game = try talk()
        game.clock.advance(by: .minutes(6))
        game.send("put", Member("toMs", 6 * 60_000))
        game.clock.advance(by: .minutes(1))
        #expect(effects(game) == ["soon", "soon"])
    }

    @Test func `a state that is entered with the time or less does not fire the mark`() throws {
        let game = try talk()
        game.send("next", Member("leftMs", 60_000))
        #expect(game.machine.timer("last")?.info.mark?.canFire == false)
        #expect(game.machine.timer("last")?.info.deadline == nil)
        game.clock.advance(by: .minutes(1))
        #expect(effects(game) == ["over"])
    }

    @Test(arguments: [
        // The countdown had 6 min left at the snapshot, and has `restart: remaining`.
        (4, 10, ["soon"], 1), (6, 10, [], 1), (9, 30, ["over"], 1),
    ])
    func `a restart fires no mark twice`(
        _ before: Int, _ down: Int, _ expected: [String], _ after: Int
    ) throws {
        let game = try talk()
        game.clock.advance(by: .minutes(before))
        let snapshot = game.machine.snapshot
        #expect(snapshot.timers.map(\.fires) == ["end"])
        let restored = PlayedFlow(game.flow)
        restored.clock.advance(by: .minutes(before + down))
        var timers: [RestoredTimer] = []
        try restored.machine.restore(
            snapshot, after: Downtime(lastAlive: .zero + .minutes(before)), adding: &timers)
        RestoredTimer.set(timers, on: restored.clock.timerQueue, queueIsEmpty: true)
        restored.clock.advance(by: .minutes(after))
        #expect(effects(restored) == expected)
    }

    @Test func `a mark that the countdown passes while the daemon is down fires at once`() throws {
        let flow = try flowFile(Self.text.replacing(", restart: remaining", with: "")).flow
        let game = PlayedFlow(flow)
        try game.open()
        game.clock.advance(by: .minutes(4))
        let restored = PlayedFlow(flow)
        restored.clock.advance(by: .minutes(6))
        var timers: [RestoredTimer] = []
        try restored.machine.restore(
            game.machine.snapshot, after: Downtime(lastAlive: .zero + .minutes(4)),
            adding: &timers)
        RestoredTimer.set(timers, on: restored.clock.timerQueue, queueIsEmpty: true)
        restored.clock.fireDueTimers()
        #expect(effects(restored) == ["soon"])
    }

    @Test func `the clock may be the subject of the screen`() throws {
        let flow = try flowFile(Self.text).flow
        #expect(flow.presentation.states["speaking"]?.clock == "end")
        #expect(flow.presentation.states["speaking"]?.isClockBig == true)
        #expect(flow.mistakes == [])
    }

    @Test(arguments: [
        ("m: {when: {left: 1m}}", "write when: {left: 1m, of: COUNTDOWN}"),
        ("m: {when: {left: 1m, of: none2}}", "there is no timer none2"),
        ("m: {when: {left: 1m, of: p}}", "a mark is on a countdown (after), and p is not one"),
        ("m: {when: {left: 1m, of: m}}", "a mark is on a countdown (after), and m is not one"),
        ("m: {when: {left: -1m, of: c}}", "c has no overtime, so it never has less than 0s left"),
        (
            "m: {when: {left: 1m, of: c}, restart: drop}",
            "m is a mark on a countdown, which has no restart of its own"
        ),
        ("m: {when: {left: 1m, of: c}, if: true}", "which has no if of its own"),
        ("m: {when: {left: 1m, of: c}, paused: true}", "which has no paused of its own"),
        ("m: {when: {left: 1m, of: c}, after: 1m}", "a timer has either after or when"),
    ])
    func `a wrong mark is a mistake`(_ timer: String, _ why: String) throws {
        let found = findings(Self.state(timer, "m: stay"))
        #expect(found.contains { $0.contains(why) }, "\(found)")
    }

    @Test(arguments: [
        ("go: {pause: m}", "m is a mark, which stands and runs with its countdown"),
        ("go: {set: {m: 1s}}", "m is a mark, which stands and runs with its countdown"),
        ("go: {to: a, left: {m: 1s}}", "left is for countdowns, and m is a mark on a countdown"),
        ("go: {if: left(m) > 1s, to: a, else: stay}", "m is a mark on a countdown; write left()"),
    ])
    func `a wrong use of a mark is a mistake`(_ row: String, _ why: String) throws {
        let found = findings(Self.state("m: {when: {left: 1s, of: c}}", "m: stay\n      \(row)"))
        #expect(found.contains { $0.contains(why) }, "\(found)")
    }

    private static func state(_ timer: String, _ rows: String) -> String {
        """
        flow: x
        start: a
        events: {go: }
        states:
          a:
            timers: {c: {after: 1h}, p: {every: 1m}, \(timer)}
            on:
              c: stay
              p: stay
              \(rows)
        """
    }
}
