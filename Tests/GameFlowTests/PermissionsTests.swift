import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct PermissionsTests {
    static let order: [(from: String, to: String, effect: String)] = [
        ("initial", "pushNotificationsAsk", "showPushNotificationScreen"),
        ("pushNotificationsAsk", "pushNotificationsDisplay", "requestNotificationPermissions"),
        ("pushNotificationsAsk", "locationAsk", "showLocationScreen"),
        ("pushNotificationsDisplay", "locationAsk", "showLocationScreen"),
        ("locationAsk", "locationDisplay", "requestLocationPermissions"),
        ("locationAsk", "onboarded", "showOnboarded"),
        ("locationDisplay", "onboarded", "showOnboarded"),
    ]
    static let states = [
        "initial", "pushNotificationsAsk", "pushNotificationsDisplay", "locationAsk",
        "locationDisplay", "onboarded",
    ]

    @Test(arguments: states.dropLast(), states)
    func `a state may follow only if the delegate allows it`(
        _ from: String, _ to: String
    ) throws {
        let stage = try MachineFixture(Permissions(), from)
        let row = Self.order.first { $0 == (from, to, $0.effect) }
        let before = stage.everything
        let refusal = stage.refusal("go", [Member("to", to)])
        if let row {
            #expect(stage.state == to)
            #expect(stage.steps.last?.effects.first?.name == row.effect)
        } else {
            #expect(refusal == .noTransition)
            #expect(stage.everything == before)
        }
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a transition to an unknown state is an error`() throws {
        let stage = try MachineFixture(Permissions())
        guard let refusal = stage.refusal("go", [Member("to", "nowhere")]),
            refusal.code == .invalid, refusal.subject == "to"
        else {
            Issue.record("nowhere is taken")
            return
        }
        #expect(refusal.why == "expected one of \(Self.states.joined(separator: ", "))")
        #expect(stage.refusal("promptTimedOut") == .forbidden)
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `a prompt without an answer times out`() throws {
        let stage = try MachineFixture(Permissions(), "pushNotificationsDisplay")
        stage.time.advance(by: .milliseconds(59_999))
        #expect(stage.timers == ["promptTimedOut 1/60000"])
        stage.time.advance(by: .milliseconds(1))
        #expect(stage.state == "locationAsk")
        #expect(stage.steps.last?.effects.first?.name == "showLocationScreen")
        try stage.send("go", [Member("to", "locationDisplay")])
        stage.time.advance(by: .seconds(60))
        #expect(stage.state == "onboarded")
        #expect(stage.refusal("go", [Member("to", "initial")]) == .finished)
        #expect(stage.timers.isEmpty)
        stage.expectOnlyItsOwnTimers()
    }

    @Test(arguments: seeds(100)) func `random prompts follow the given order`(_ seed: UInt64) throws
    {
        var random = SeededRandom(seed)
        let stage = try MachineFixture(Permissions())
        var (state, left, effects): (String, Int?, [String]) = ("initial", nil, [])
        func enter(_ row: (from: String, to: String, effect: String)) {
            state = row.to
            effects.append(row.effect)
            left = row.to.hasSuffix("Display") ? 60_000 : nil
        }
        for step in 0..<40 {
            if random.below(3) == 0 {
                let ms = random.pick([1, 30_000, 59_999, 60_000])
                stage.time.advance(by: .milliseconds(Int64(ms)))
                let rest = left.map { ms - $0 } ?? -1
                left = left.map { $0 - ms }
                if rest >= 0 {
                    let next = state == "locationDisplay" ? "onboarded" : "locationAsk"
                    enter(try #require(Self.order.first { $0.from == state && $0.to == next }))
                }
            } else {
                let to = random.pick(Self.states)
                let refusal = stage.refusal("go", [Member("to", to)])
                let row = Self.order.first { $0.from == state && $0.to == to }
                let expected = state == "onboarded" ? "finished" : row == nil ? "noTransition" : nil
                #expect(refusal?.name == expected, "seed \(seed), step \(step)")
                if let row { enter(row) }
            }
            #expect(stage.state == state, "seed \(seed), step \(step)")
            #expect(stage.timers == (left.map { ["promptTimedOut \($0)/60000"] } ?? []))
            #expect(stage.steps.flatMap { $0.effects.map(\.name) } == effects)
        }
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `analysing the flow does not call the delegate`() {
        var told = 0
        let flow = AnyFlow(Permissions { _, _ in told += 1 })
        #expect(!flow.survey.isEmpty)
        #expect(told == 0)
    }

    @Test func `the delegate is called after each transition, and not for overrides`()
        throws
    {
        var told: [String] = []
        let stage = try MachineFixture(Permissions { told.append("\($0) → \($1)") })
        try stage.send("go", [Member("to", "pushNotificationsAsk")])
        _ = stage.refusal("go", [Member("to", "onboarded")])
        try stage.machine.goto("locationDisplay", [], from: .tester)
        stage.time.advance(by: .seconds(60))
        #expect(
            told == ["initial → pushNotificationsAsk", "locationDisplay → onboarded"])
        stage.expectOnlyItsOwnTimers()
    }
}
