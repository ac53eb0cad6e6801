import GameFlow
import ShippedFlows
import TestSupport
import Testing

/// Compares each shipped flow with its `NaiveModel`.
@Suite struct FlowsTests {
    static var startup: FlowCheck { FlowCheck(Startup(), .startup) }
    static var registration: FlowCheck { FlowCheck(Registration(), .registration) }
    static var onboarding: FlowCheck { FlowCheck(Onboarding(), .onboarding) }
    static var quiz: FlowCheck { FlowCheck(Quiz(), .quiz) }
    static var all: [FlowCheck] { [startup, registration, onboarding, quiz] }

    @Test func `states, events, signals and final states are listed in the flow's order`() {
        for check in Self.all { check.expectNames() }
    }

    @Test func `every state accepts exactly the events of its table`() throws {
        for check in Self.all { try check.expectAllPairs() }
    }

    @Test func `every state is entered with its data and its timers`() throws {
        for check in Self.all { try check.expectOpenings() }
    }

    @Test(arguments: seeds(40, long: 300))
    func `random start-ups match the naive model`(_ seed: UInt64) throws {
        try Self.startup.expectWalk(seed, waits: [1, 999, 5000, 10_000, 31_000, 60_000, 121_000])
    }

    @Test(arguments: seeds(40, long: 300))
    func `random registrations match the naive model`(_ seed: UInt64) throws {
        try Self.registration.expectWalk(seed, waits: [1, 60_000, 899_999, 900_000])
    }

    @Test(arguments: seeds(40, long: 300))
    func `random onboardings match the naive model`(_ seed: UInt64) throws {
        try Self.onboarding.expectWalk(seed, waits: [1, 4999, 5000, 19_999, 20_000, 61_000])
    }

    @Test(arguments: seeds(40, long: 300))
    func `random quizzes match the naive model`(_ seed: UInt64) throws {
        try Self.quiz.expectWalk(seed, waits: [1, 333, 999, 1000, 4999, 5000, 8000, 20_000])
    }

    @Test func `every shipped flow has a name of its own`() {
        let names = AnyFlow.shipped().map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.first == "game")
    }
}
