import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct GameTests {
    /// Data for each state, such as it has in the middle of a game.
    static func data(of state: String) -> [Member] {
        let values = ["episode": 2, "level": 3, "remainingMs": 61_234, "score": 77]
        return GameModel.data[state, default: []].map { Member($0, .int(values[$0]!)) }
    }

    static func arguments(of event: String) -> [Member] {
        GameModel.parameter[event].map { [Member($0, 1)] } ?? []
    }

    @Test(arguments: GameModel.states, GameModel.events)
    func `every state accepts exactly the events of its table`(_ state: String, _ event: String)
        throws
    {
        let stage = try MachineFixture(Game(), state, Self.data(of: state))
        stage.time.advance(by: .milliseconds(500))
        let row = GameModel.row(state, event)
        #expect(stage.machine.accepts.contains(event) == (row != nil))
        let before = stage.everything
        let refusal = stage.refusal(event, Self.arguments(of: event))
        if let row {
            #expect(refusal == nil)
            #expect(stage.state == row.to)
            #expect(stage.steps.last?.effects.first?.name == row.effect)
            #expect(stage.steps.last?.from?.state == state)
        } else {
            #expect(refusal == .noTransition)
            #expect(stage.everything == before)
        }
        stage.expectOnlyItsOwnTimers()
    }

    @Test(arguments: GameModel.states, GameModel.signals)
    func `a signal is accepted only from the state's own timer`(
        _ state: String, _ signal: String
    ) throws {
        let stage = try MachineFixture(Game(), state, Self.data(of: state))
        let before = stage.everything
        #expect(stage.refusal(signal) == .forbidden)
        #expect(stage.everything == before)
        let sends = stage.timers.contains { $0.hasPrefix(signal + " ") }
        let isTaken =
            GameModel.row(state, signal) != nil || (state == "playingLevel" && signal == "tick")
        #expect(sends == isTaken)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `events are listed in the flow's order`() {
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
        _ state: String, _ event: String, _ argument: String, _ wrong: [Int]
    ) throws {
        let stage = try MachineFixture(Game(), state, Self.data(of: state))
        let before = stage.everything
        for number in wrong {
            guard let refusal = stage.refusal(event, [Member(argument, number)]),
                refusal.code == .invalid, refusal.subject == argument
            else {
                Issue.record("\(number) is taken")
                continue
            }
        }
        #expect(stage.refusal(event) == .invalid(argument, "missing"))
        #expect(
            stage.refusal(event, [Member(argument, "1")])
                == .invalid(argument, "expected an integer"))
        #expect(
            stage.refusal(event, [Member(argument, 1), Member("x", 1)]) == .invalid("x", "unknown"))
        #expect(stage.everything == before)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `the level clock stands still while the game is paused, to the millisecond`() throws
    {
        let stage = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        stage.time.advance(by: .milliseconds(28_766))
        try stage.send("controllerLost")
        #expect(stage.data == Self.data(of: "paused"))
        #expect(stage.timers == ["abandoned 300000/300000"])
        stage.time.advance(by: .seconds(299))
        try stage.send("controllerFound")
        #expect(stage.timers == ["timeUp 61234/90000", "tick 1000/1000"])
        stage.time.advance(by: .milliseconds(61_233))
        #expect(stage.state == "playingLevel")
        stage.time.advance(by: .milliseconds(1))
        #expect(stage.state == "finishedLevel")
        #expect(stage.data.last == Member("score", 0))
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a remaining time below one millisecond is shown as one, and is not lost`() throws {
        let stage = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        stage.time.advance(by: .seconds(90) + Duration.nanoseconds(-1))
        try stage.send("pause")
        #expect(stage.data.last == Member("remainingMs", 1))
        try stage.send("resume")
        #expect(stage.timers.first == "timeUp 1/90000")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `an extended and paused timer resumes with the time left of its total`()
        throws
    {
        let stage = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        let clock = try #require(stage.machine.timer("timeUp"))
        #expect(stage.time.timerQueue.extend(clock.id, by: .seconds(30)))
        #expect(stage.timers.first == "timeUp 120000/120000")
        try stage.send("pause")
        try stage.send("resume")
        #expect(stage.timers.first == "timeUp 120000/90000")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `an event at the instant of the deadline comes after the time-out`() throws {
        let stage = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        stage.time.advance(by: .seconds(90))
        #expect(stage.refusal("completeLevel", [Member("score", 10)]) == .noTransition)
        #expect(stage.data.last == Member("score", 0))
        #expect(stage.beats == 89)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `every time-out of the game finally leads to the home state`() throws {
        let stage = try MachineFixture(Game(), "playingLevel", Self.data(of: "playingLevel"))
        stage.time.advance(by: .seconds(3600))
        #expect(
            stage.steps.map(\.to?.state) == [
                "playingLevel", "finishedLevel", "choosingLevel", "introduction",
            ])
        #expect(stage.timers.isEmpty)
        stage.expectOnlyItsOwnTimers()
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

    @Test(arguments: seeds(10, long: 200))
    func `random games match the naive model`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let stage = try MachineFixture(Game())
        var model = GameModel()
        for step in 0..<120 {
            if random.below(3) == 0 {
                let ms = [1, 250, 999, 1000, 15_000, 30_000, 61_000][random.below(7)]
                stage.time.advance(by: .milliseconds(Int64(ms)))
                model.pass(ms)
            } else {
                let likely = GameModel.events.filter { GameModel.row(model.state, $0) != nil }
                let event =
                    random.below(4) == 0 ? random.pick(GameModel.events) : random.pick(likely)
                let argument = random.below(8) - 1
                let arguments = GameModel.parameter[event].map { [Member($0, argument)] } ?? []
                let before = stage.everything
                let refusal = stage.refusal(event, arguments)
                let isTaken = model.take(event, argument)
                #expect((refusal == nil) == isTaken, "seed \(seed), step \(step), \(event)")
                if !isTaken { #expect(stage.everything == before, "seed \(seed), step \(step)") }
            }
            #expect(stage.state == model.state, "seed \(seed), step \(step)")
            #expect(stage.data == model.members, "seed \(seed), step \(step)")
            #expect(stage.timers == model.timerTexts, "seed \(seed), step \(step)")
            #expect(stage.beats == model.beats, "seed \(seed), step \(step)")
        }
        #expect(stage.steps.flatMap { $0.effects.map(\.name) } == model.effects, "seed \(seed)")
        stage.expectOnlyItsOwnTimers()
    }
}
