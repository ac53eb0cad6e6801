import GameFlow
import ShippedFlows
import Testing
import Timers

@Suite struct QuizTests {
    private func buzz(_ player: String) -> [Member] { [Member("player", player)] }

    @Test func `the first buzzer wins, and the second is refused`() throws {
        let stage = try MachineFixture(Quiz())
        try stage.send("start", [Member("rounds", 2)])
        stage.time.advance(by: .milliseconds(3500))
        try stage.send("buzz", buzz("ann"))
        #expect(stage.refusal("buzz", buzz("bob")) == .noTransition)
        #expect(stage.data.suffix(2) == [Member("player", "ann"), Member("remainingMs", 16_500)])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a wrong answer returns to the question with the exact time left`() throws {
        let stage = try MachineFixture(Quiz())
        try stage.send("start", [Member("rounds", 1)])
        stage.time.advance(by: .milliseconds(3500))
        try stage.send("buzz", buzz("ann"))
        stage.time.advance(by: .seconds(8))
        #expect(stage.state == "question")
        #expect(stage.timers == ["timeUp 16500/20000", "tick 1000/1000"])
        let before = stage.everything
        #expect(
            stage.refusal("buzz", buzz("ann")) == .invalid("player", "out at this question"))
        #expect(stage.everything == before)
        try stage.send("buzz", buzz("bob"))
        try stage.send("judge", [Member("correct", true)])
        #expect(stage.data["scores"] == .object([Member("bob", 1)]))
        try stage.send("proceed")
        #expect(stage.state == "finished")
        #expect(stage.steps.last?.effects.first?.name == "finish")
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `the number of players who fail at one question is limited`() throws {
        let stage = try MachineFixture(Quiz())
        try stage.send("start", [Member("rounds", 1)])
        for number in 1...256 {
            try stage.send("buzz", buzz("p\(number)"))
            try stage.send("judge", [Member("correct", false)])
        }
        guard let refusal = stage.refusal("buzz", buzz("late")), refusal.code == .invalid,
            refusal.subject == "player"
        else {
            Issue.record("the 257th is taken")
            return
        }
        stage.expectOnlyItsOwnTimers()
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
    func `a state cannot be opened with impossible data`(
        _ state: String, _ datum: String, _ value: Value
    ) throws {
        let good = try #require(NaiveModel.Table.quiz.data[state])
        #expect(throws: Never.self) { _ = try MachineFixture(Quiz(), state, good) }
        let data = good.map { $0.name == datum ? Member(datum, value) : $0 }
        #expect(throws: Reason.self) { try MachineFixture(Quiz(), state, data) }
    }

    @Test func `points are limited to integers that JSON clients can represent`() throws {
        var data = try #require(NaiveModel.Table.quiz.data["locked"])
        data[2] = Member("scores", .object([Member("ann", 1_000_000)]))
        let stage = try MachineFixture(Quiz(), "locked", data)
        try stage.send("judge", [Member("correct", true)])
        #expect(stage.data["scores"] == .object([Member("ann", 1_000_000)]))
        #expect(throws: Never.self) { _ = try MachineFixture(Quiz(), "reveal", stage.data) }
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `only the player who buzzed can be right`() {
        let data = NaiveModel.Table.quiz.data["reveal"]!.filter { $0.name != "player" }
        #expect(throws: Reason.self) { try MachineFixture(Quiz(), "reveal", data) }
    }
}
