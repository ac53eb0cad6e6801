import FlowAnalysis
import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Rows that go back to the state from which theirs was entered.
@Suite struct BackRowTests {
    private static let text = """
        flow: room
        start: playing
        events:
          ask:
          inspect: {depth: integer}
          close:
          more: {score: integer}
          hurry:
          hold:
          go:
          lift:
        effects: [dim, light, click, bell]
        states:
          playing:
            data: {score: integer = 0, notes: integer = 0}
            timers:
              timeUp: {after: 10m}
              tick: {every: 7s}
              late: {after: 5s, overtime: true}
              work: {up: true}
              once: {after: 2s}
            enter: [light]
            on:
              timeUp: {to: over}
              tick: stay
              late: {do: bell}
              once: {do: bell}
              hold: {pause: timeUp}
              go: {resume: timeUp}
              more: {with: {score: =state.score + event.score}}
              ask: hint
          hint:
            data: {depth: integer = 0}
            leave: [dim]
            timers: {read: {after: 1m}}
            on:
              read: {back: true}
              inspect: {to: detail, with: {depth: =state.depth + event.depth}}
              close: {back: true, do: click}
              more: {back: true, with: {score: =score}}
              hurry: {back: true, left: {timeUp: 1m}, do: click}
              ask: hint
              lift: {with: {depth: =depth + 100}}
          detail:
            data: {depth: integer = 0}
            on:
              close: {back: true}
              lift: over
          over: {final: true}
        """

    private func room() throws -> PlayedFlow { try PlayedFlow(Self.text) }

    private func timers(_ game: PlayedFlow) -> [String] {
        game.machine.liveTimers.map { timer in
            let info = timer.info
            let time = info.kind == .stopwatch ? info.spent : info.remaining
            return "\(timer.fires) \(time.milliseconds / 1000)"
                + (info.isPaused ? " paused" : "") + (info.isInOvertime ? " fired" : "")
        }
    }

    @Test func `it enters the state as it was left, with data and timers`() throws {
        let game = try room()
        game.send("more", Member("score", 5))
        game.clock.advance(by: .seconds(8))
        let before = timers(game)
        #expect(before == ["timeUp 592", "tick 6", "late -3 fired", "work 8"])
        game.send("hold")
        #expect(game.send("ask") == "hint")
        game.clock.advance(by: .seconds(30))
        let count = game.effects.count
        #expect(game.send("close") == "playing")
        #expect(game.data == [Member("score", 5), Member("notes", 0)])
        #expect(timers(game) == ["timeUp 592 paused", "tick 6", "late -3 fired", "work 8"])
        #expect(game.effects[count...].map(\.name) == ["dim", "light", "click"])
        #expect(game.steps.last?.kind == .enter)
        game.send("go")
        game.clock.advance(by: .seconds(592))
        #expect(game.state == "over")
    }

    @Test func `a timer goes back, too`() throws {
        let game = try room()
        game.send("ask")
        game.clock.advance(by: .seconds(60))
        #expect(game.state == "playing")
        #expect(timers(game).contains("timeUp 600"))
        // What had not fired fires.
        game.clock.advance(by: .seconds(2))
        #expect(game.effects.last?.name == "bell")
    }

    @Test func `with and left change what the moment has, and arguments do not`() throws {
        let game = try room()
        game.send("ask")
        #expect(game.send("more", Member("score", 7)) == "playing")
        #expect(game.data["score"] == .int(7))
        game.send("ask")
        game.send("hurry")
        #expect(timers(game).contains("timeUp 60"))
        #expect(game.data["score"] == .int(7))
        game.clock.advance(by: .seconds(60))
        #expect(game.state == "over")
    }

    @Test func `after an opening or a goto there is nothing to go back to`() throws {
        let game = PlayedFlow(try flowFile(Self.text).flow)
        try game.open("hint")
        #expect(
            game.send("close") == "no transition for this event in this state"
                || game.state == "hint")
        #expect(!game.machine.accepts.contains("close"))
        #expect(game.machine.accepts.contains("inspect"))
        let played = try room()
        played.send("ask")
        #expect(played.machine.accepts.contains("close"))
        try played.machine.goto("hint", [], from: .program)
        #expect(!played.machine.accepts.contains("close"))
        #expect(played.machine.moments == [])
    }

    @Test func `moments are kept in moments, and the state itself changes none`() throws {
        let game = try room()
        game.send("ask")
        game.send("ask")
        game.send("lift")
        #expect(game.machine.moments.map(\.place.state) == ["playing"])
        game.send("inspect", Member("depth", 3))
        #expect(game.machine.moments.map(\.place.state) == ["hint", "playing"])
        #expect(game.data["depth"] == .int(103))
        #expect(game.send("close") == "hint")
        #expect(game.data["depth"] == .int(100))
        #expect(game.machine.moments.map(\.place.state) == ["playing"])
        #expect(game.send("close") == "playing")
        #expect(game.machine.moments == [])
    }

    @Test func `at most eight moments are kept`() throws {
        let text = """
            flow: x
            start: a
            events: {flip: , back: }
            states:
              a: {data: {n: integer = 0}, on: {flip: {to: b, with: {n: =n + 1}}, back: {back: true}}}
              b: {data: {n: integer = 0}, on: {flip: {to: a, with: {n: =n + 1}}, back: {back: true}}}
            """
        let game = try PlayedFlow(text)
        for _ in 0..<12 { game.send("flip") }
        #expect(game.machine.moments.count == 8)
        for n in (4..<12).reversed() {
            game.send("back")
            #expect(game.data["n"] == .int(n))
        }
        #expect(game.machine.moments == [])
        let state = game.state
        game.send("back")
        #expect(game.state == state && game.data["n"] == .int(4))
    }

    @Test func `a snapshot has the moments`() throws {
        let game = try room()
        game.clock.advance(by: .seconds(5))
        game.send("ask")
        game.clock.advance(by: .seconds(10))
        let snapshot = game.machine.snapshot
        let clock = VirtualClock(startingAt: .seconds(1000))
        let machine = try game.flow.machine(
            continuing: snapshot, on: clock.timerQueue, EventQueue(), observer: game)
        #expect(machine.moments == game.machine.moments)
        try machine.send(game.flow.event("close"), [], from: .program)
        #expect(machine.timer("timeUp")?.info.remaining == .seconds(595))
        machine.end()
    }

    @Test func `a new version must fit the moments`() throws {
        let old = try flowFile(Self.text).flow
        let game = PlayedFlow(old)
        try game.open()
        game.send("ask")
        func move(_ text: String) throws -> String {
            let new = try flowFile(text).flow
            do throws(Reason) {
                let snapshot = try new.continuation(
                    of: game.machine.snapshot, from: old, at: game.clock.now)
                return snapshot.moments.map(\.place.state).joined()
            } catch { return "\(error.subject): \(error.why)" }
        }
        #expect(try move(Self.text) == "playing")
        let renamed = Self.text.replacing(
            "score: integer = 0, notes", with: "points: integer = 0, notes"
        )
        .replacing("{score: =state.score + event.score}", with: "{points: =event.score}")
        .replacing("with: {score: =score}", with: "with: {points: =score}")
        #expect(try move(renamed).hasPrefix("score: in playing, to go back to: "))
        let without = Self.text.replacing("{back: true, do: click}", with: "playing")
            .replacing("{back: true, with: {score: =score}}", with: "playing")
            .replacing("{back: true, left: {timeUp: 1m}, do: click}", with: "playing")
            .replacing("read: {back: true}", with: "read: playing")
        #expect(try move(without) == "")
    }

    @Test(arguments: [
        ("go: {back: false}", "expected back: true"),
        ("go: {back: true, to: a}", "a row goes back or enters a state, not both; remove to"),
        ("go: {back: true, pause: t}", "pause needs a row that stays"),
        ("go: {back: true, with: {nope: 1}}", "nope"),
        ("go: {back: true, with: {n: x}}", "n"),
        ("go: {back: true, left: {nope: 1s}}", "nope"),
        ("go: {back: true, left: {p: 1s}}", "left is for countdowns, and p is a pendulum"),
        ("go: {back: true, do: nope}", "nope"),
        ("go: {back: true, refuse: true}", "a row that refuses does nothing else; remove back"),
    ])
    func `a wrong use is a mistake`(_ row: String, _ why: String) {
        let text = """
            flow: x
            start: a
            events: {go: , next: }
            states:
              a:
                data: {n: integer = 0}
                timers: {c: {after: 1m}, p: {every: 1s}}
                on: {next: b, c: stay, p: stay}
              b:
                timers: {t: {after: 1m}}
                on:
                  t: stay
                  \(row)
            """
        #expect(findings(text).contains { $0.contains(why) }, "\(findings(text))")
    }

    @Test func `a state that no row enters has nothing to go back to`() throws {
        let flow = try flowFile(
            """
            flow: x
            start: a
            events: {go: , back: }
            states:
              a: {on: {go: b, back: {back: true}}}
              b: {on: {go: b}}
            """
        ).flow
        #expect(
            flow.warnings.contains {
                $0.contains("no row of another state enters a, so there is nothing to go back to")
            }, "\(flow.warnings)")
    }

    @Test func `the searches go back, and the diagram shows where`() throws {
        let text = """
            flow: x
            start: a
            events: {ask: , look: , close: , finish: }
            states:
              a: {on: {ask: hint, finish: over}}
              hint: {on: {close: {back: true}, look: detail}}
              detail: {on: {close: {back: true}}}
              over: {final: true}
            """
        let small = try flowFile(text).flow
        #expect(Lint(small).findings.map(\.sentence) == [])
        let flow = try flowFile(Self.text).flow
        // A timer that fires after a goto finds nothing to go back to.
        #expect(
            Lint(flow).findings.map(\.sentence).contains(
                "hint refuses read, which its own timer sends"))
        #expect(Diagram(flow).text(.mermaid).contains("hint --> playing"))
        #expect(Diagram(flow).text(.mermaid).contains("detail --> hint"))
    }

    @Test func `the data of the flow keep their present values`() throws {
        let game = try PlayedFlow(
            """
            flow: party
            start: a
            events: {hint: , add: , close: , set: {n: integer}}
            data: {points: integer = 0, bonus: integer = 0}
            states:
              a:
                data: {own: integer = 0}
                on: {hint: {to: b}, add: {with: {points: =points + 1, own: =own + 1}}}
              b:
                on:
                  add: {with: {points: =points + 10}}
                  close: {back: true}
                  set: {back: true, with: {bonus: =n}}
            """)
        game.send("add")
        game.send("hint")
        game.send("add")
        #expect(game.send("close") == "a")
        #expect(game.machine.place.data["points"] == 11)
        #expect(game.machine.place.data["own"] == 1)
        game.send("hint")
        game.send("set", Member("n", 3))
        #expect(game.machine.place.data["points"] == 11)
        #expect(game.machine.place.data["bonus"] == 3)
    }

    @Test func `the survey takes each row that goes back`() throws {
        let states = try flowFile(Self.text).flow.survey
        for (state, event) in [("hint", "close"), ("hint", "read"), ("detail", "close")] {
            let survey = try #require(states.first { $0.state == state })
            let result = try #require(survey.results.first { $0.on == event })
            #expect(result.outcomes.count == 1, "\(state) \(event): \(result.outcomes)")
            #expect(result.wasTried(outcomeAt: 0))
            guard case .enters = result.outcomes[0] else {
                Issue.record("\(state) \(event): \(result.outcomes)")
                continue
            }
        }
    }

    @Test func `scenarios go back`() throws {
        let flow = try flowFile(Self.text).flow
        let text = """
            flow room
            after 5s
            send ask
            after 10s
            send close
            expect playing
            expect timer timeUp 9m55s
            expect effects dim, light, click
            undo
            expect hint
            send close
            expect timer timeUp 9m55s
            goto hint
            refuse close with noTransition
            """
        let reader = ScenarioReader(Array(text.utf8), file: "x.scenario", flows: [flow])
        #expect(reader.errors.isEmpty)
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }
}
