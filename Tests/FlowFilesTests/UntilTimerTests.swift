import FlowAnalysis
import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Timers that fire at a time of day.
@Suite struct UntilTimerTests {
    private static let text = """
        flow: doors
        start: closed
        settings: {start: {type: time, default: '20:00'}}
        events:
          hold:
          go:
          again:
          wait: {time: time}
        effects: [bell]
        states:
          closed:
            data: {time: {type: time, default: '6:00'}}
            timers:
              doors: {until: =settings.start, title: Doors open}
              alarm: {until: =time, paused: true}
            clock: doors
            on:
              doors: open
              alarm: {do: bell}
              hold: {pause: doors}
              go: {resume: [doors, alarm]}
              again: {restart: doors}
              wait: {to: closed}
          open:
            timers: {home: {after: 1h}}
            on: {home: closed}
        """

    private func game(_ settings: Member...) throws -> PlayedFlow {
        try PlayedFlow(Self.text, settings: settings)
    }

    private func left(_ fires: String, _ game: PlayedFlow) -> Duration? {
        game.machine.timer(fires)?.info.remaining
    }

    @Test func `it fires when the clock shows the time`() throws {
        let game = try game()
        #expect(left("doors", game) == .seconds(20 * 3600))
        #expect(game.machine.timer("doors")?.info.kind == .until)
        #expect(game.machine.timer("doors")?.until?.time.description == "20:00")
        game.clock.advance(by: .seconds(20 * 3600 - 1))
        #expect(game.state == "closed")
        game.clock.advance(by: .seconds(1))
        #expect(game.state == "open")
        game.clock.advance(by: .seconds(3600))
        // Entered at 21:00: until 20:00 of the next day.
        #expect(game.state == "closed")
        #expect(left("doors", game) == .seconds(23 * 3600))
    }

    @Test func `at exactly the time, the next day's is meant`() throws {
        let game = try game(Member("start", "00:00"))
        #expect(left("doors", game) == .seconds(86_400))
    }

    @Test func `an expression sees the new data`() throws {
        let game = try game()
        #expect(left("alarm", game) == .seconds(6 * 3600))
        game.send("wait", Member("time", "03:00"))
        #expect(left("alarm", game) == .seconds(3 * 3600))
        game.send("go")
        game.clock.advance(by: .seconds(3 * 3600))
        #expect(game.effects.map(\.name) == ["bell"])
    }

    @Test func `resume sets it to its deadline, which may be over`() throws {
        let game = try game()
        game.clock.advance(by: .seconds(3600))
        game.send("hold")
        game.clock.advance(by: .seconds(3600))
        #expect(left("doors", game) == .seconds(19 * 3600))
        game.send("go")
        #expect(left("doors", game) == .seconds(18 * 3600))
        game.send("hold")
        game.clock.advance(by: .seconds(19 * 3600))
        #expect(game.state == "closed")
        game.send("go")
        game.clock.fireDueTimers()
        #expect(game.state == "open")
    }

    @Test func `restart waits for the next such time`() throws {
        let game = try game()
        game.clock.advance(by: .seconds(3600))
        game.send("hold")
        game.clock.advance(by: .seconds(20 * 3600))
        game.send("again")
        #expect(left("doors", game) == .seconds(23 * 3600))
        #expect(game.machine.timer("doors")?.info.isPaused == false)
    }

    @Test func `an operator may pause and resume it, and not move it`() throws {
        let game = try game()
        for action in [TimerOperation.Action.extend, .shorten, .set] {
            let error = #expect(throws: TimerOperation.OperationError.self) {
                try game.machine.operate(TimerOperation("doors", action, by: .seconds(5)))
            }
            guard case .noEnd(.until)? = error else {
                Issue.record("\(action): \(error as Any)")
                continue
            }
        }
        #expect(left("doors", game) == .seconds(20 * 3600))
        #expect(try game.machine.operate(TimerOperation("doors", .pause)))
        #expect(game.machine.timer("doors")?.info.isPaused == true)
    }

    @Test func `a restored machine has the recorded deadline`() throws {
        let game = try game()
        game.clock.advance(by: .seconds(3600))
        let snapshot = game.machine.snapshot
        let clock = VirtualClock(startingAt: .seconds(7200))
        // Another zone, to which 20:00 would be earlier.
        clock.timerQueue.wallClock = CivilClock(
            try #require(ClockZone.named("Asia/Tokyo")))
        let machine = try game.flow.machine(
            continuing: snapshot, on: clock.timerQueue, EventQueue(), observer: game)
        #expect(machine.timer("doors")?.info.remaining == .seconds(18 * 3600))
        #expect(machine.timer("doors")?.until?.zone == "UTC")
        #expect(machine.timer("alarm")?.info.isPaused == true)
        machine.end()
    }

    @Test func `the new version keeps the deadline, and sets a new timer by the wall clock`() throws
    {
        let old = try flowFile(
            """
            flow: x
            start: a
            events: {go: }
            states: {a: {timers: {t: {until: '20:00'}}, on: {t: stay, go: stay}}}
            """
        ).flow
        let new = try flowFile(
            """
            flow: x
            start: a
            events: {go: }
            states: {a: {timers: {t: {until: '21:00'}, u: {until: '9:00'}}, on: {"t, u, go": stay}}}
            """
        ).flow
        let game = PlayedFlow(old)
        try game.open()
        let zone = try #require(ClockZone.named("Asia/Tokyo"))
        let snapshot = try new.continuation(
            of: game.machine.snapshot, from: old, at: .seconds(3600), CivilClock(zone))
        #expect(snapshot.timers.map(\.until?.time.description) == ["20:00", "09:00"])
        #expect(
            snapshot.timers.map(\.state) == [
                .running(until: .seconds(20 * 3600)), .running(until: .seconds(24 * 3600)),
            ])
    }

    @Test(arguments: [
        ("t: {until: 90s}", "90s"),
        ("t: {until: '25:00'}", "25:00"),
        ("t: {until: =5}", "time"),
        ("t: {until: '20:00', after: 5s}", "a timer has either after or until"),
        (
            "t: {until: '20:00', overtime: true}",
            "overtime is for countdowns (after), and t fires at a time of day"
        ),
        (
            "t: {until: '20:00', restart: remaining}",
            "t fires at a time of day, also after a restart: restart is deadline"
        ),
        (
            "t: {until: '20:00'}, m: {when: {left: 1m, of: t}}",
            "a mark is on a countdown (after), and t is not one"
        ),
        ("t: {}", "or until: '20:00'"),
    ])
    func `a wrong declaration is a mistake`(_ timer: String, _ why: String) {
        let text = """
            flow: x
            start: a
            events: {go: }
            states:
              a:
                timers: {\(timer)}
                on: {go: stay}
            """
        #expect(findings(text).contains { $0.contains(why) }, "\(findings(text))")
    }

    @Test(arguments: [
        ("go: {extend: {t: 1s}}", "extend is for countdowns, and t fires at a time of day"),
        ("go: {shorten: {t: 1s}}", "shorten is for countdowns, and t fires at a time of day"),
        ("go: {set: {t: 1s}}", "set is for countdowns, and t fires at a time of day"),
        ("go: {to: a, left: {t: 1s}}", "left is for countdowns, and t fires at a time of day"),
    ])
    func `a wrong use is a mistake`(_ row: String, _ why: String) {
        let text = """
            flow: x
            start: a
            events: {go: }
            states:
              a:
                timers: {t: {until: '20:00'}}
                on:
                  t: stay
                  \(row)
            """
        #expect(findings(text).contains { $0.contains(why) }, "\(findings(text))")
    }

    @Test func `scenarios are in UTC, or in their zone`() throws {
        let flow = try flowFile(Self.text).flow
        func outcomes(_ text: String) -> [String] {
            let reader = ScenarioReader(Array(text.utf8), file: "x.scenario", flows: [flow])
            return reader.errors.map(\.sentence)
                + reader.scenarios.map { "\(ScenarioRun($0).failure as Any)" }
        }
        // New York set its clocks one hour ahead on 1970-04-26 at 2:00, and back on 1970-10-25.
        let text = """
            scenario in UTC
            flow doors
            after 115d
            expect timer doors 20h
            scenario in New York
            flow doors
            zone America/New_York
            after 115d
            expect timer doors 19h
            after 19h
            expect open
            """
        #expect(outcomes(text) == ["nil", "nil"])
        #expect(
            outcomes("flow doors\nzone Nowhere\nafter 1s")[0].hasPrefix(
                "x.scenario:2:6: no zone Nowhere"))
        #expect(
            outcomes("flow doors\nafter 1s\nzone UTC")[0]
                .contains("'zone' comes before a scenario's first step"))
    }

    @Test func `lint and paths know that the time comes`() throws {
        let flow = try flowFile(Self.text).flow
        #expect(Lint(flow).findings.map(\.sentence) == [])
        #expect(Diagram(flow).text(.dot).contains("doors at 20:00"))
    }

    /// In `b`, the time of day decides whether `c` or `d` fires first.
    private static let order = """
        flow: order
        start: a
        states:
          a: {timers: {t: {after: 40m}}, on: {t: b}}
          b: {timers: {c: {after: 1h}, d: {until: '00:30'}}, on: {d: early, c: late}}
          early: {final: true}
          late: {final: true}
        """

    @Test func `lint does not say that a time of day decides which timer never fires`() throws {
        let findings = Lint(try flowFile(Self.order).flow).findings
        #expect(
            findings == [
                .incomplete(
                    "not reached: the state late, the end of the timer c of b; which timer fires first depends on the time of day, and each state was entered at 00:00"
                )
            ])
        // The moment of a single timer decides nothing.
        let alone = Self.order.replacing("c: {after: 1h}, ", with: "").replacing(
            ", c: late", with: "")
        #expect(Lint(try flowFile(alone).flow).findings == [.unreachableState("late")])
    }

    @Test(arguments: [
        // 30 s after midnight, 00:00:07 is that of the next day.
        (
            """
            flow: f
            start: a
            states:
              a: {timers: {t: {after: 30s}}, on: {t: b}}
              b: {timers: {d: {until: '00:00:07'}}, on: {d: c}}
              c: {final: true}
            """, 0
        ),
        (
            """
            flow: f
            start: a
            events: {go: , roll: }
            states:
              a:
                data: {n: integer = 0}
                timers: {t: {until: '20:00'}, half: {after: 30m}}
                on: {go: b, t: b, half: stay, roll: {with: {n: =random(1..2)}}}
              b: {data: {n: integer}, timers: {d: {until: '06:00'}}, on: {d: {to: a}}}
            """, 0
        ),
        (order, 2),
    ])
    func `the scenarios of paths pass, and each until has the time of day`(
        _ text: String, _ missed: Int
    ) throws {
        let flow = try flowFile(text).flow
        let tour = Tour(flow)
        let reader = ScenarioReader(Array(tour.text.utf8), file: "x.scenario", flows: [flow])
        #expect(reader.errors.map(\.sentence) == [])
        #expect(!reader.scenarios.isEmpty)
        for scenario in reader.scenarios {
            #expect(ScenarioRun(scenario).failure == nil, "\(tour.text)")
        }
        #expect(tour.missed.count == missed)
    }
}
