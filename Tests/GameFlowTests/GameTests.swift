import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Compares the machine of the flow `Game` with `GameModel`, which has its states, events and transitions as tables.
@Suite struct GameTests {
    /// Example data of a state.
    static func data(of state: String) -> [Member] {
        let values = ["episode": 2, "level": 3, "remainingMs": 61_234, "score": 77]
        return GameModel.data[state, default: []].map { Member($0, .int(values[$0]!)) }
    }

    /// Arguments that the event accepts.
    static func arguments(of event: String) -> [Member] {
        GameModel.parameter[event].map { [Member($0, 1)] } ?? []
    }

    @Test(arguments: GameModel.states, GameModel.events)
    func `every state accepts exactly the events of its table`(_ state: String, _ event: String)
        throws
    {
        let fixture = try MachineFixture(Game(), state, Self.data(of: state))
        fixture.time.advance(by: .milliseconds(500))
        let row = GameModel.row(state, event)
        #expect(fixture.machine.accepts.contains(event) == (row != nil))
        let before = fixture.summary
        let refusal = fixture.refusal(event, Self.arguments(of: event))
        if let row {
            #expect(refusal == nil)
            #expect(fixture.state == row.to)
            #expect(fixture.steps.last?.effects.first?.name == row.effect)
            #expect(fixture.steps.last?.from?.state == state)
        } else {
            #expect(refusal == .noTransition)
            #expect(fixture.summary == before)
        }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(arguments: GameModel.states, GameModel.signals)
    func `a signal is accepted only from the state's own timer`(
        _ state: String, _ signal: String
    ) throws {
        let fixture = try MachineFixture(Game(), state, Self.data(of: state))
        let before = fixture.summary
        #expect(fixture.refusal(signal) == .forbidden)
        #expect(fixture.summary == before)
        let hasTimer = fixture.timers.contains { $0.hasPrefix(signal + " ") }
        let isTaken =
            GameModel.row(state, signal) != nil || (state == "playingLevel" && signal == "tick")
        #expect(hasTimer == isTaken)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `events, signals and states are listed in the flow's order`() {
        #expect(AnyFlow(Game()).events.map(\.name) == GameModel.events)
        #expect(AnyFlow(Game()).signals == GameModel.signals)
        #expect(AnyFlow(Game()).stateNames == GameModel.states)
    }

    @Test(arguments: GameModel.states)
    func `a state has exactly the data of its table`(_ state: String) {
        let flow = AnyFlow(Game())
        #expect(flow.data(of: state).map(\.name) == GameModel.data[state, default: []])
        #expect(flow.data(of: state).allSatisfy { $0.type == "integer" })
    }

    @Test(arguments: [
        ("choosingEpisode", "chooseEpisode", "episode", [0, 4, -1, 9_007_199_254_740_991]),
        ("choosingLevel", "chooseLevel", "level", [0, 6, -1]),
        ("playingLevel", "completeLevel", "score", [-1, 1_000_001]),
    ])
    func `validators refuse values out of range and change nothing`(
        _ state: String, _ event: String, _ argument: String, _ wrongNumbers: [Int]
    ) throws {
        let fixture = try MachineFixture(Game(), state, Self.data(of: state))
        let before = fixture.summary
        for number in wrongNumbers {
            guard let refusal = fixture.refusal(event, [Member(argument, number)]),
                refusal.code == .invalid, refusal.subject == argument
            else {
                Issue.record("\(number) was accepted")
                continue
            }
        }
        #expect(fixture.refusal(event) == .invalid(argument, "missing"))
        #expect(
            fixture.refusal(event, [Member(argument, "1")])
                == .invalid(argument, "expected an integer"))
        #expect(
            fixture.refusal(event, [Member(argument, 1), Member("x", 1)])
                == .invalid("x", "unknown"))
        #expect(fixture.summary == before)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `the level clock stands still while the game is paused, to the millisecond`() throws
    {
        let fixture = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        // 61 234 ms of the 90 s remain, as in the example data of `paused`.
        fixture.time.advance(by: .milliseconds(28_766))
        try fixture.send("controllerLost")
        #expect(fixture.data == Self.data(of: "paused"))
        #expect(fixture.timers == ["abandoned 300000/300000"])
        fixture.time.advance(by: .seconds(299))
        try fixture.send("controllerFound")
        #expect(fixture.timers == ["timeUp 61234/90000", "tick 1000/1000"])
        fixture.time.advance(by: .milliseconds(61_233))
        #expect(fixture.state == "playingLevel")
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.state == "finishedLevel")
        #expect(fixture.data.last == Member("score", 0))
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a remaining time below one millisecond is shown as one, and is not lost`() throws {
        let fixture = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        fixture.time.advance(by: .seconds(90) + Duration.nanoseconds(-1))
        try fixture.send("pause")
        #expect(fixture.data.last == Member("remainingMs", 1))
        try fixture.send("resume")
        #expect(fixture.timers.first == "timeUp 1/90000")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test
    func
        `a timer that was extended and then paused resumes with all its time left and its declared total`()
        throws
    {
        let fixture = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        let timeUp = try #require(fixture.machine.timer("timeUp"))
        #expect(fixture.time.timerQueue.extend(timeUp.id, by: .seconds(30)))
        #expect(fixture.timers.first == "timeUp 120000/120000")
        try fixture.send("pause")
        try fixture.send("resume")
        #expect(fixture.timers.first == "timeUp 120000/90000")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an event at the instant of the deadline comes after the time-out`() throws {
        let fixture = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        fixture.time.advance(by: .seconds(90))
        #expect(fixture.refusal("completeLevel", [Member("score", 10)]) == .noTransition)
        #expect(fixture.data.last == Member("score", 0))
        #expect(fixture.beats == 89)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `from a level, the time-outs lead back to the home state`() throws {
        let fixture = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        fixture.time.advance(by: .seconds(3600))
        #expect(
            fixture.steps.map(\.to?.state) == [
                "playingLevel", "finishedLevel", "choosingLevel", "introduction",
            ])
        #expect(fixture.timers.isEmpty)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(arguments: [
        ("paused", "remainingMs", -1), ("paused", "remainingMs", 0), ("paused", "level", 6),
        ("playingLevel", "episode", 0),
        ("finishedLevel", "score", 1_000_001), ("paused", "remainingMs", 9_007_199_254_740_991),
    ])
    func `a state cannot be opened with impossible data`(
        _ state: String, _ datum: String, _ number: Int
    ) {
        let data = Self.data(of: state).map { $0.name == datum ? Member(datum, number) : $0 }
        #expect(throws: Reason.self) { try MachineFixture(Game(), state, data) }
    }

    @Test(arguments: seeds(10, long: 60))
    func `random games match the naive model`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let fixture = try MachineFixture(Game())
        var model = GameModel()
        for step in 0..<120 {
            if random.below(3) == 0 {
                let ms = [1, 250, 999, 1000, 15_000, 30_000, 61_000][random.below(7)]
                fixture.time.advance(by: .milliseconds(Int64(ms)))
                model.pass(ms)
            } else {
                let accepted = GameModel.events.filter { GameModel.row(model.state, $0) != nil }
                let event =
                    random.below(4) == 0 ? random.pick(GameModel.events) : random.pick(accepted)
                let argument = random.below(8) - 1
                let arguments = GameModel.parameter[event].map { [Member($0, argument)] } ?? []
                let before = fixture.summary
                let refusal = fixture.refusal(event, arguments)
                let isTaken = model.take(event, argument)
                #expect((refusal == nil) == isTaken, "seed \(seed), step \(step), \(event)")
                if !isTaken { #expect(fixture.summary == before, "seed \(seed), step \(step)") }
            }
            #expect(fixture.state == model.state, "seed \(seed), step \(step)")
            #expect(fixture.data == model.members, "seed \(seed), step \(step)")
            #expect(fixture.timers == model.timerTexts, "seed \(seed), step \(step)")
            #expect(fixture.beats == model.beats, "seed \(seed), step \(step)")
        }
        #expect(fixture.steps.flatMap { $0.effects.map(\.name) } == model.effects, "seed \(seed)")
        fixture.expectOnlyItsOwnTimers()
    }
}
