import GameFlow
import ShippedFlows
import Testing
import Timers

@Suite struct QuizTests {
    private func buzz(_ player: String) -> [Member] { [Member("player", player)] }

    @Test func `the first buzzer wins, and the second is refused`() throws {
        let fixture = try MachineFixture(Quiz())
        try fixture.send("start", [Member("rounds", 2)])
        fixture.time.advance(by: .milliseconds(3500))
        try fixture.send("buzz", buzz("ann"))
        #expect(fixture.refusal("buzz", buzz("bob")) == .noTransition)
        #expect(fixture.data.suffix(2) == [Member("player", "ann"), Member("remainingMs", 16_500)])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `players whose names are canonically equivalent are different players`() throws {
        let fixture = try MachineFixture(Quiz())
        try fixture.send("start", [Member("rounds", 2)])
        for (player, isCorrect) in [("Zoe\u{308}", false), ("Zo\u{EB}", true)] {
            try fixture.send("buzz", buzz(player))
            try fixture.send("judge", [Member("correct", isCorrect)])
        }
        try fixture.send("proceed")
        try fixture.send("buzz", buzz("Zoe\u{308}"))
        try fixture.send("judge", [Member("correct", true)])
        #expect(
            fixture.data["scores"]
                == .object([Member("Zo\u{EB}", 1), Member("Zoe\u{308}", 1)]))
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `without an answer for 8 s, the question continues with the exact time left`() throws
    {
        let fixture = try MachineFixture(Quiz())
        try fixture.send("start", [Member("rounds", 1)])
        fixture.time.advance(by: .milliseconds(3500))
        try fixture.send("buzz", buzz("ann"))
        fixture.time.advance(by: .seconds(8))
        #expect(fixture.state == "question")
        #expect(fixture.timers == ["timeUp 16500/20000", "tick 1000/1000"])
        let before = fixture.summary
        #expect(
            fixture.refusal("buzz", buzz("ann")) == .invalid("player", "out at this question"))
        #expect(fixture.summary == before)
        try fixture.send("buzz", buzz("bob"))
        try fixture.send("judge", [Member("correct", true)])
        #expect(fixture.data["scores"] == .object([Member("bob", 1)]))
        try fixture.send("proceed")
        #expect(fixture.state == "finished")
        #expect(fixture.steps.last?.effects.first?.name == "finish")
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `the number of players who fail at one question is limited`() throws {
        let fixture = try MachineFixture(Quiz())
        try fixture.send("start", [Member("rounds", 1)])
        for number in 1...256 {
            try fixture.send("buzz", buzz("p\(number)"))
            try fixture.send("judge", [Member("correct", false)])
        }
        guard let refusal = fixture.refusal("buzz", buzz("late")), refusal.code == .invalid,
            refusal.subject == "player"
        else {
            Issue.record("the 257th player was accepted")
            return
        }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(
        arguments: [
            ("question", "round", .int(4)), ("question", "rounds", .int(21)),
            ("question", "round", .int(0)), ("question", "scores", .array([])),
            ("question", "scores", .object([Member("ann", -1)])),
            ("question", "scores", .object([Member("ann", 1_000_001)])),
            ("question", "out", .array([.int(1)])),
            ("question", "out", .array([.string("ann"), .string("ann")])),
            ("question", "out", .array([.string("")])),
            ("question", "out", .array((0...256).map { .string("p\($0)") })),
            ("question", "out", .string("ann")),
            ("locked", "remainingMs", .int(0)), ("locked", "player", .string("")),
            ("locked", "out", .array([.string("ann")])), ("reveal", "player", .null),
        ] as [(String, String, Value)])
    func `a state cannot be opened with an impossible datum`(
        _ state: String, _ datum: String, _ value: Value
    ) throws {
        let validData = try #require(NaiveModel.Table.quiz.data[state])
        #expect(throws: Never.self) { _ = try MachineFixture(Quiz(), state, validData) }
        let data = validData.map { $0.name == datum ? Member(datum, value) : $0 }
        #expect(throws: Reason.self) { try MachineFixture(Quiz(), state, data) }
    }

    @Test func `the points of a player are limited to a million`() throws {
        var data = try #require(NaiveModel.Table.quiz.data["locked"])
        data[2] = Member("scores", .object([Member("ann", 1_000_000)]))
        let fixture = try MachineFixture(Quiz(), "locked", data)
        try fixture.send("judge", [Member("correct", true)])
        #expect(fixture.data["scores"] == .object([Member("ann", 1_000_000)]))
        #expect(throws: Never.self) { _ = try MachineFixture(Quiz(), "reveal", fixture.data) }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `the state reveal cannot be opened with a correct answer of no player`() {
        // The example data has a player and a correct answer.
        let data = NaiveModel.Table.quiz.data["reveal"]!.filter { $0.name != "player" }
        #expect(throws: Reason.self) { try MachineFixture(Quiz(), "reveal", data) }
    }
}
