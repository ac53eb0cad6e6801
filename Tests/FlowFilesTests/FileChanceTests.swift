import FlowAnalysis
import GameFlow
import Testing
import Timers

@testable import FlowFiles

/// Random values in flow files: `random`, `pick` and `shuffle`.
@Suite struct FileChanceTests {
    private static let text = """
        flow: dice
        start: playing
        effects: [show]
        events: {roll: , pick: {names: text}, deal: , both: , fail: {n: integer}, next: , post: }
        tables: {cards: {columns: {name: text}, rows: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}]}}
        states:
          playing:
            data:
              n: integer 0..100 = 0
              m: integer = 0
              name: text = ''
              names: set = none
              seq: order of cards
            on:
              roll: {with: {n: =random(1..6)}}
              pick:
                - {if: names in state.names, with: {name: =pick(state.names)}}
                - {with: {names: =state.names + event.names}}
              deal: {with: {seq: =shuffle(cards), n: 0}}
              both: {do: [show: {first: =random(1..6)}], with: {n: =random(1..6)}}
              fail: {with: {n: =random(1..6), m: =1 / n}}
              next: {with: {n: =n + 1, name: "=cards[seq[n + 1]].name"}}
              post: {post: {fail: {n: =random(1..6)}}}
        """

    private func play(seed: UInt64 = 1) throws -> PlayedFlow {
        let game = PlayedFlow(try flowFile(Self.text).flow)
        game.machine.setSeed(seed)
        try game.open()
        return game
    }

    @Test func `a machine draws the values of its seed`() throws {
        let game = try play()
        let rolls = (0..<10).map { _ in
            game.send("roll")
            return game.data["n"]
        }
        #expect(rolls == [5, 4, 5, 3, 3, 4, 5, 5, 5, 4].map { .int($0) })
        #expect(game.machine.chance == Chance(seed: 1, drawn: 10))
        // A step that draws is recorded, even if it changes nothing else.
        #expect(game.steps.dropFirst().allSatisfy { !$0.isBeat })
    }

    @Test func `an order is shuffled from the last row down, and its rows are read`() throws {
        let game = try play()
        #expect(game.data["seq"] == .array([]))
        #expect(game.send("next") == "invalid: name: the order of cards has no place 1")
        game.send("deal")
        #expect(game.data["seq"] == .array([3, 5, 4, 2, 1]))
        #expect(game.machine.chance?.drawn == 4)
        game.send("next")
        #expect(game.data["name"] == .string("c"))
        game.send("next")
        #expect(game.data["name"] == .string("e"))
    }

    @Test func `an element of a set is picked`() throws {
        let game = try play()
        for name in ["x", "y", "z", "x"] { game.send("pick", Member("names", .string(name))) }
        // The first value of the seed 1 leaves the remainder 0 when it is divided by 3.
        #expect(
            game.data["name"]
                == .string(["x", "y", "z"][Int(10_905_525_725_756_348_110 % 3 as UInt64)]))
    }

    @Test func `a row draws in its written order, and a refused row draws nothing`() throws {
        let game = try play()
        #expect(game.send("fail", Member("n", 0)) == "invalid: m: division by zero")
        #expect(game.machine.chance?.drawn == 0)
        game.send("both")
        #expect(game.effects.first?.arguments == [Member("first", 5)])
        #expect(game.data["n"] == .int(4))
        _ = game.machine.accepts
        #expect(game.machine.chance?.drawn == 2)
    }

    @Test func `a goto keeps the count, and a snapshot has it`() throws {
        let game = try play()
        game.send("roll")
        try game.machine.goto("playing", [], from: .program)
        #expect(game.machine.snapshot.chance == Chance(seed: 1, drawn: 1))
        let before = MachineState(game.machine, at: game.clock.now)
        game.send("roll")
        let undone = try game.flow.machine(
            continuing: before.snapshot(at: game.clock.now), on: game.clock.timerQueue,
            EventQueue(), observer: game)
        #expect(undone.chance == Chance(seed: 1, drawn: 1))
        try undone.send(game.flow.event("roll"), [], from: .program)
        #expect(undone.place.data["n"] == 4)
        undone.end()
    }

    @Test func `a step that only posts a drawn value is no beat`() throws {
        let game = try play()
        game.send("post")
        #expect(game.steps.count == 3)
        #expect(game.steps[1].isBeat == false)
        #expect(game.machine.chance?.drawn == 2)
    }

    @Test func `a flow that draws nothing has no chance`() throws {
        let game = try PlayedFlow("flow: f\nstart: a\nstates: {a: }")
        #expect(game.machine.chance == nil && game.machine.snapshot.chance == nil)
        #expect(!game.flow.drawsChance)
    }

    @Test(arguments: [
        (
            "if: random(1..6) == 1",
            "random may stand only in with, left, do, post and the times of a row's actions"
        ),
        (
            "refuse: =text(random(1..6))",
            "random may stand only in with, left, do, post and the times of a row's actions"
        ),
        ("with: {n: =random(6)}", "write random(LOW..HIGH)"),
        ("with: {n: =random(6..1)}", "6 is more than 1"),
        ("with: {n: =random(1..'6')}", "expected integer, but this is the text '6'"),
        ("with: {n: =1..6}", "expected an operator, not .."),
        ("with: {n: =count(1..6)}", "a range stands after in, and in random(LOW..HIGH)"),
        ("with: {s: =pick(n)}", "expected a set or a checklist, but this is integer"),
        ("with: {s: =pick(none)}", "expected a set or a checklist, but this is none"),
        ("with: {o: =shuffle(n)}", "shuffle takes the name of a table"),
        ("with: {o: =shuffle(u)}", "expected order of t, but this is order of u"),
        ("with: {n: =shuffle(t)}", "expected integer, but this is order of t"),
        ("with: {n: =o.x}", "o.x: only settings, state and event have members"),
        (
            "with: {s: \"=o[1].x\"}",
            "an order has no columns; write t[…[n]].x for the row of the table"
        ),
    ])
    func `a wrong use of chance or of an order is a mistake`(_ row: String, _ sentence: String) {
        let text = """
            flow: f
            start: a
            events: {go: }
            tables: {t: {columns: {x: text}, rows: []}, u: {columns: {x: text}, rows: []}}
            states: {a: {data: {n: integer = 1, s: text = x, o: order of t}, on: {go: {\(row)}}}}
            """
        let found = findings(text)
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    @Test(arguments: [
        ("data: {o: order of v}", "there is no table v; did you mean t?"),
        ("data: {o: order}", "write the name of a table: order of questions"),
        (
            "data: {o: 'order of t = 1'}",
            "the default of o: expected a order of t, not \"1\"; write none for an empty order of t"
        ),
        (
            "enter: [beep: {n: =random(1..2)}]",
            "random may stand only in with, left, do, post and the times of a row's actions"
        ),
        (
            "timers: {x: {after: =random(1..2) * 1s}}",
            "random may stand only in with, left, do, post and the times of a row's actions"
        ),
    ])
    func `chance and orders have their places`(_ lines: String, _ sentence: String) {
        let found = findings(
            flowText("  " + lines, more: "tables: {t: {columns: {x: text}, rows: []}}\n"))
        #expect(found.contains { $0.hasSuffix(sentence) }, "\(found)")
    }

    // MARK: searches

    private static let game = """
        flow: game
        start: start
        events: {roll: , show: }
        effects: [say]
        states:
          start:
            data: {n: integer = 0}
            on:
              roll: {to: rolled, with: {n: =random(1..6)}}
              show: {do: [say: {n: =random(1..6)}]}
          rolled:
            data: {n: integer}
            timers: {t: {after: 1s}}
            on: {t: [{if: n == 6, to: won}, start]}
          won: {final: true}
        """

    @Test func `a search branches at a draw that decides something`() throws {
        let exploration = Exploration(try flowFile(Self.game).flow)
        let rolled = exploration.situations.filter { $0.place.state == "rolled" }
        // The half of the countdown is a situation of its own.
        #expect(Set(rolled.map { $0.place.data["n"] }) == Set((1...6).map { .int($0) }))
        #expect(rolled.count == 12)
        #expect(exploration.states.contains("won"))
        // The value that is only shown is drawn once.
        #expect(
            exploration.edges.filter { $0.move.event == "show" }.count
                <= exploration.situations.count)
        #expect(Lint(try flowFile(Self.game).flow).findings == [])
    }

    @Test func `of a large range the ends are tried`() throws {
        let text = Self.game.replacing("1..6", with: "1..100")
        let exploration = Exploration(try flowFile(text).flow)
        let rolled = exploration.situations.filter { $0.place.state == "rolled" }
        #expect(Set(rolled.map { $0.place.data["n"] }) == [.int(1), .int(100)])
        // That the game cannot be won is not proved.
        #expect(!exploration.states.contains("won"))
        #expect(
            !Lint(try flowFile(text).flow).findings.contains { "\($0)".contains("unreachable") })
    }

    @Test func `the scenarios of all transitions name a seed`() throws {
        let tour = Tour(try flowFile(Self.game).flow)
        #expect(tour.missed == [])
        #expect(tour.text.contains("\nseed "))
        let reader = ScenarioReader(
            Array(tour.text.utf8), file: "game.scenario", flows: [try flowFile(Self.game).flow])
        #expect(reader.errors == [])
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }

    @Test func `the seed of a scenario also draws the effects of posted events`() throws {
        let file = """
            flow: storm
            start: room
            events: {draw: }
            effects: [lamp, thunder]
            states:
              room:
                data: {dice: integer 0..4 = 0}
                timers: {tick: {after: 20s}, end: {after: 1m}}
                on:
                  tick: {with: {dice: "=random(1..4)"}, post: draw}
                  draw: {if: dice == 1, do: thunder, else: stay}
                  end: over
              over: {final: true}
            """
        let flow = try flowFile(file).flow
        let reader = ScenarioReader(
            Array(Tour(flow).text.utf8), file: "storm.scenario", flows: [flow])
        #expect(reader.errors == [] && reader.scenarios.count > 0)
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }

    @Test func `a scenario expects and gives an order as JSON`() throws {
        let text = """
            flow dice
            send deal
            expect playing seq=[3,5,4,2,1] n=0
            goto playing seq=[2,1]
            send next
            expect playing name=b
            goto playing seq=none
            expect playing seq=[]
            """
        let reader = ScenarioReader(
            Array(text.utf8), file: "f", flows: [try flowFile(Self.text).flow])
        #expect(reader.errors == [])
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
    }

    @Test func `a scenario draws from its seed`() throws {
        let text = """
            flow game
            seed 2
            scenario one
            seed 1
            send roll
            expect rolled n=5
            scenario two
            send roll
            expect rolled n=4
            """
        let reader = ScenarioReader(
            Array(text.utf8), file: "game.scenario", flows: [try flowFile(Self.game).flow])
        #expect(reader.errors == [])
        #expect(reader.scenarios.map(\.seed) == [1, 2])
        for scenario in reader.scenarios { #expect(ScenarioRun(scenario).failure == nil) }
        let wrong = ScenarioReader(
            Array("flow game\nsend roll\nseed 1\nseed x\n".utf8), file: "f",
            flows: [try flowFile(Self.game).flow])
        #expect(
            wrong.errors.map(\.sentence) == [
                "f:3:1: the session is open already; 'seed' comes before a scenario's first step",
                "f:4:6: no seed; seed N, with a whole number from 0",
            ])
    }
}
