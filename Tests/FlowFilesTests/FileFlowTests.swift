import Testing
import Timers

@testable import FlowFiles
@testable import GameFlow

/// A machine on its own virtual clock, with the steps and refusals that it reported.
final class PlayedFlow: MachineObserver {
    let clock = VirtualClock()
    let flow: AnyFlow
    private(set) var machine: AnyMachine!
    private(set) var steps: [Step] = []
    private(set) var refusals: [String] = []

    init(_ flow: AnyFlow) {
        self.flow = flow
        machine = flow.machine(on: clock.timerQueue, EventQueue(), observer: self)
    }

    /// Creates a machine for the text of a flow file, and opens it in the initial state.
    convenience init(_ text: String, settings: [Member] = []) throws {
        self.init(try flowFile(text).flow.with(settings: settings))
        try open()
    }

    deinit { machine.end() }

    func completed(_ step: consuming Step) { steps.append(step) }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {
        refusals.append("\(event.name): \(refusal.sentence)")
    }

    func open(_ state: String? = nil, _ data: [Member] = []) throws {
        try machine.open(state, data, from: .program)
    }

    /// Sends an event. Returns the name of the state after it, or the sentence of the refusal.
    @discardableResult func send(_ event: String, _ arguments: Member...) -> String {
        do throws(Reason) {
            try machine.send(try flow.event(event), arguments, from: .program)
            return machine.place.state
        } catch { return error.sentence }
    }

    var state: String { machine.place.state }
    var data: [Member] { machine.place.data }
    /// The names of the live timers, in the order in which they were set.
    var timers: [String] { machine.liveTimers.map(\.fires) }
    /// The effects of the newest step.
    var effects: [EffectRecord] { steps.last?.effects ?? [] }
}

/// Many tests use `smallVault`, a game of 1 h that the event `begin` starts. The game is won when the two puzzles are solved.
/// The timer `last` fires 5 min before `timeUp`.
@Suite struct FileFlowTests {
    private func vault(_ settings: [Member] = []) throws -> PlayedFlow {
        let game = PlayedFlow(
            try flowFile(smallVault).flow.with(settings: settings))
        try game.open()
        return game
    }

    @Test func `the vault has no mistakes`() throws {
        #expect(try flowFile(smallVault).flow.mistakes == [])
    }

    @Test func `the vault is played to its end`() throws {
        let game = try vault()
        #expect(game.state == "lobby")
        #expect(game.send("begin", Member("team", "red")) == "playing")
        #expect(game.data.description == "[\"team\":\"red\", \"used\":0, \"solved\":[]]")
        #expect(game.timers == ["timeUp", "tick", "last"])
        #expect(game.effects.map(\.name) == ["music"])
        game.clock.advance(by: .seconds(10))
        #expect(game.send("solve", Member("puzzle", "laser")) == "playing")
        #expect(game.timers == ["timeUp", "tick", "last"])
        #expect(
            game.send("solve", Member("puzzle", "laser")) == "invalid: puzzle: it is solved already"
        )
        #expect(
            game.send("solve", Member("puzzle", "door"))
                == "invalid: puzzle: expected one of bookcase, laser")
        #expect(game.send("hint", Member("say", "look up")) == "playing")
        #expect(
            game.effects == [EffectRecord(name: "say", arguments: [Member("text", "look up")])])
        #expect(game.send("solve", Member("puzzle", "bookcase")) == "won")
        #expect(
            game.data == [Member("team", "red"), Member("used", 1), Member("leftMs", 3_590_000)])
        #expect(game.effects.map(\.name) == ["openSafe", "lights"])
        game.clock.advance(by: .minutes(2))
        #expect(game.state == "lobby")
        #expect(game.timers == [] && game.clock.timerQueue.pending.isEmpty)
    }

    @Test func `the vault announces its last minutes and is lost when the time is up`() throws {
        let game = try vault()
        game.send("begin", Member("team", "red"))
        game.clock.advance(by: .minutes(55))
        #expect(game.steps.flatMap { $0.effects.map(\.name) } == ["music", "music"])
        #expect(game.timers == ["timeUp", "tick"])
        game.clock.advance(by: .minutes(5))
        #expect(game.state == "lost")
        #expect(game.send("goHome") == "lobby")
        #expect(game.send("goHome") == "noTransition")
    }

    @Test func `settings replace defaults`() throws {
        let game = try vault([
            Member("time", "10m"), Member("hints", 0), Member("lastCode", "9999"),
        ])
        game.send("begin", Member("team", "red"))
        #expect(game.machine.timer("timeUp")?.info.remaining == .minutes(10))
        #expect(game.send("hint", Member("say", "x")) == "invalid: say: no hint is left")
        #expect(game.send("code", Member("digits", "0451")) == "invalid: digits: wrong")
        #expect(game.send("code", Member("digits", "9999")) == "playing")
    }

    @Test func `defaults of settings are shown as they are written`() throws {
        let file = try flowFile(smallVault)
        #expect(
            file.flow.settings.map { "\($0.name): \($0.type) = \($0.value)" } == [
                "time: duration = 1h", "hints: integer = 3", "lastCode: text = 0451",
            ])
        // The values that are shown are accepted as settings.
        _ = try file.flow.with(
            settings: file.flow.settings.map { Member($0.name, $0.value) })
    }

    @Test(arguments: [
        (Member("times", "1m"), "invalid: times: not a setting: time, hints, lastCode"),
        (
            Member("time", "soon"),
            "invalid: time: expected a duration such as 90s or 1h30m, not \"soon\""
        ),
        (Member("hints", true), "invalid: hints: expected integer"),
    ])
    func `a setting that does not fit is refused with its name`(
        _ setting: Member, _ sentence: String
    ) throws {
        let file = try flowFile(smallVault)
        do throws(Reason) {
            _ = try file.flow.with(settings: [setting])
            Issue.record("accepted")
        } catch { #expect(error.sentence == sentence) }
    }

    @Test
    func
        `the types of arguments are checked before the row of an event is looked up, and limits and conditions after that`()
        throws
    {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events:
              go: {n: {type: integer 0..9, unless: n != 3, why: three is unlucky}, mac: optional address}
            states:
              a: {on: {go: {if: n == 5, to: b, else: {refuse: {n: not five}}}}}
              b: {on: {}}
            """)
        #expect(game.send("go") == "invalid: n: missing")
        #expect(game.send("go", Member("n", 1), Member("x", 1)) == "invalid: x: unknown")
        #expect(game.send("go", Member("n", "1")) == "invalid: n: expected an integer")
        #expect(game.send("go", Member("n", 10)) == "invalid: n: not within 0…9")
        #expect(game.send("go", Member("n", 3)) == "invalid: n: three is unlucky")
        #expect(
            game.send("go", Member("n", 4), Member("mac", "x"))
                == "invalid: mac: not six hexadecimal octets joined by : or -")
        #expect(game.send("go", Member("n", 4)) == "invalid: n: not five")
        #expect(game.send("go", Member("mac", Value.null), Member("n", 5)) == "b")
        // The state `b` has no row for `go`. The types of arguments are checked nevertheless, their limits are not.
        #expect(game.send("go", Member("n", 10)) == "noTransition")
        #expect(game.send("go", Member("n", "1")) == "invalid: n: expected an integer")
    }

    @Test func `a row that stays operates the timers of its state, and a refused event does not`()
        throws
    {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events: {hold: , go: , more: {by: duration}, less: , exact: , again: , bad: }
            states:
              a:
                data: {n: integer 0..1 = 1}
                timers: {t: {after: 10s}, u: {every: 1s}}
                on:
                  t, u: stay
                  hold: {pause: [t, u]}
                  go: {resume: t}
                  more: {extend: {t: =by}}
                  less: {shorten: {t: 1h}}
                  exact: {set: {t: 3s}}
                  again: {restart: t}
                  bad: {pause: t, with: {n: =n + 1}}
            """)
        func timeLeft() -> Duration? { game.machine.timer("t")?.info.remaining }
        #expect(game.send("bad") == "invalid: n: not within 0…1")
        game.clock.advance(by: .seconds(1))
        #expect(timeLeft() == .seconds(9))
        game.send("hold")
        #expect(game.steps.last.map { $0.kind == .keep && !$0.isBeat } == true)
        game.clock.advance(by: .seconds(5))
        #expect(timeLeft() == .seconds(9))
        game.send("go")
        game.send("more", Member("byMs", 2000))
        #expect(timeLeft() == .seconds(11))
        #expect(
            game.send("more", Member("by", 1))
                == "invalid: by: expected a duration such as 90s or 1h30m, at most 10 years")
        game.send("exact")
        #expect(timeLeft() == .seconds(3))
        game.send("again")
        #expect(timeLeft() == .seconds(12))
        game.send("less")
        #expect(timeLeft() == .milliseconds(1))
    }

    @Test
    func `an event that a row posts is processed after the step, and its refusal is reported`()
        throws
    {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events: {one: , two: {n: integer}, three: , loop: }
            states:
              a:
                data: {n: integer = 0}
                on:
                  one: {with: {n: 5}, post: {two: {n: =n + 1}}}
                  two: {to: b, post: three}
                  loop: {post: loop}
              b:
            """)
        #expect(game.send("one") == "b")
        // The expressions of `post` use the data before the step.
        #expect(game.steps.last?.event == EventRecord("two", [Member("n", 1)]))
        #expect(game.refusals == ["three: noTransition"])
        let loopingGame = try PlayedFlow(
            "flow: f\nstart: a\nevents: {loop: }\nstates: {a: {on: {loop: {post: loop}}}}")
        #expect(loopingGame.send("loop") == "a")
        #expect(loopingGame.refusals == ["loop: limit"])
    }

    @Test func `an event is deferred until a state takes it`() throws {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            effects: [hello, bye]
            events: {late: , go: }
            states:
              a: {on: {late: defer, go: b}}
              b: {enter: hello, on: {late: {to: c, do: bye}}}
              c: {enter: [hello], final: true}
            """)
        #expect(game.send("late") == "a")
        #expect(game.machine.deferredCount == 1)
        #expect(game.send("go") == "c")
        #expect(
            game.steps.map { $0.effects.map(\.name) } == [[], [], ["hello"], ["hello", "bye"]])
        #expect(game.send("go") == "finished")
    }

    @Test(arguments: [
        ("call: {name: integer}", "call: a deferred event that the new version does not take"),
        ("call: {number: text}", "call: a deferred event that the new version does not take"),
        ("ring: {name: text}", "call: a deferred event that the new version does not have"),
        ("call: {name: text, loud: optional boolean}", "1 deferred"),
    ])
    func `a new version must take the deferred events`(_ event: String, _ expected: String) throws {
        func text(_ event: String) -> String {
            let name = event.prefix { $0 != ":" }
            return "flow: x\nstart: a\nevents: {\(event)}\n"
                + "states: {a: {data: {name: text = ann}, on: {\(name): defer}}}\n"
        }
        let game = try PlayedFlow(text("call: {name: text}"))
        game.send("call", Member("name", "bob"))
        let new = try flowFile(text(event)).flow
        let result: String
        do throws(Reason) {
            let snapshot = try new.continuation(
                of: game.machine.snapshot, from: game.flow, at: game.clock.now)
            result = "\(snapshot.waiting.count) deferred"
        } catch { result = "\(error.subject): \(error.why)" }
        #expect(result.hasPrefix(expected), "\(result)")
    }

    @Test
    func `timers have conditions, and a countdown may begin with the remaining time of another`()
        throws
    {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events: {go: {isFast: boolean, time: duration}, back: }
            states:
              a: {on: {go: b}}
              b:
                data: {isFast: boolean, time: duration}
                timers:
                  t: {after: =time * 2}
                  fast: {every: =time / 10, if: isFast}
                on:
                  t, fast: stay
                  back: {to: b, left: {t: =left(t) - 1s}}
            """)
        game.send("go", Member("isFast", false), Member("timeMs", 5000))
        #expect(game.timers == ["t"])
        #expect(game.send("back") == "b")
        #expect(
            game.machine.timer("t").map { [$0.info.remaining, $0.info.total] } == [
                .seconds(9), .seconds(10),
            ])
        try game.machine.goto("a", [], from: .program)
        #expect(
            game.send("go", Member("isFast", true), Member("timeMs", 90))
                == "invalid: fast: a period is at least 10 ms")
        #expect(game.state == "a")
        game.send("go", Member("isFast", true), Member("timeMs", 0))
        #expect(game.state == "a")
    }

    @Test func `an event is refused if its row's arithmetic fails, and the refusal names a datum`()
        throws
    {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events: {divide: {by: integer}, grow: }
            states:
              a:
                data: {n: integer = 9007199254740991, m: integer = 8}
                on:
                  divide: {with: {m: =m / by}}
                  grow: {with: {n: =n + 1}}
            """)
        #expect(game.send("divide", Member("by", 0)) == "invalid: m: division by zero")
        #expect(game.send("grow") == "invalid: n: the result of + is too large")
        #expect(game.send("divide", Member("by", -3)) == "a")
        #expect(game.data["m"] == .int(-2))
    }

    @Test func `a restored state keeps timers whose condition no longer holds`() throws {
        let flow = try flowFile(
            """
            flow: f
            start: a
            events: {go: }
            states:
              a:
                data: {n: integer = 0}
                timers: {t: {after: 10s, if: n == 0}, u: {every: =1s / (2 - n)}}
                on: {t: stay, u: stay, go: {with: {n: =n + 1}}}
            """
        ).flow
        let game = PlayedFlow(flow)
        try game.open()
        game.send("go")
        game.send("go")
        let restored = PlayedFlow(flow)
        var timers: [RestoredTimer] = []
        try restored.machine.restore(
            game.machine.snapshot, after: Downtime(lastAlive: .zero), adding: &timers)
        RestoredTimer.set(timers, on: restored.clock.timerQueue, queueIsEmpty: true)
        #expect(restored.machine.place == game.machine.place)
        #expect(restored.machine.liveTimers.map(\.info) == game.machine.liveTimers.map(\.info))
    }

    @Test func `the condition of an argument is also checked if the argument is left out`() throws {
        let game = try PlayedFlow(
            """
            flow: f
            start: a
            events:
              go: {who: {type: optional text, unless: who != null or count == 0, why: nobody}, count: integer}
            states: {a: {on: {go: stay}}}
            """)
        #expect(game.send("go", Member("count", 1)) == "invalid: who: nobody")
        #expect(game.send("go", Member("count", 0)) == "a")
        #expect(game.send("go", Member("count", 1), Member("who", "x")) == "a")
    }

    @Test func `an invariant is checked only in the states that have its data`() throws {
        let file = try flowFile(smallVault)
        let flow = FileFlow(file)
        let invariant = try #require(flow.invariants.first)
        #expect(invariant.sentence == "no more hints than were agreed")
        // State 0 is `lobby`, which has no data. State 1 is `playing`, with the data `team`, `used` and `solved`.
        let rules = flow.program.states[1]
        func playing(_ used: Int) -> FileState {
            FileState(1, rules, [.string("red"), .int(used), .array([])], [])
        }
        #expect(invariant.breach(playing(3)) == nil)
        #expect(invariant.breach(playing(4)) == invariant.sentence)
        #expect(invariant.breach(FileState(0, flow.program.states[0], [], [])) == nil)
    }

    @Test func `the data of an opened state are checked, and defaults replace missing data`() throws
    {
        let text = """
            flow: f
            start: a
            states:
              a:
                data:
                  n: {type: integer 0..9 = 1, unless: n <= m, why: more than m}
                  m: integer = 5
                  name: optional text
                  left: duration = 1s
            """
        let game = try PlayedFlow(text)
        #expect(game.data == [Member("n", 1), Member("m", 5), Member("leftMs", 1000)])
        func refusal(_ data: Member...) -> String {
            do throws(Reason) {
                try game.machine.goto("a", data, from: .program)
                return ""
            } catch { return error.sentence }
        }
        #expect(refusal(Member("n", 7)) == "invalid: n: more than m")
        #expect(refusal(Member("leftMs", -1)) == "invalid: leftMs: not within 0…315619200000")
        #expect(
            refusal(Member("left", 1))
                == "invalid: left: expected a duration such as 90s or 1h30m, at most 10 years")
        #expect(refusal(Member("name", "x"), Member("n", 2)) == "")
        #expect(game.data["name"] == .string("x"))
    }
}
