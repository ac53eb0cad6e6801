import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct PermissionsTests {
    /// The transitions of the flow, as documented.
    static let rows: [(from: String, to: String, effect: String)] = [
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
    func `a transition between two states is accepted only if the table has its row`(
        _ from: String, _ to: String
    ) throws {
        let fixture = try MachineFixture(Permissions(), from)
        let row = Self.rows.first { $0.from == from && $0.to == to }
        let before = fixture.summary
        let refusal = fixture.refusal("go", [Member("to", to)])
        if let row {
            #expect(fixture.state == to)
            #expect(fixture.steps.last?.effects.first?.name == row.effect)
        } else {
            #expect(refusal == .noTransition)
            #expect(fixture.summary == before)
        }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a transition to an unknown state is an error`() throws {
        let fixture = try MachineFixture(Permissions())
        guard let refusal = fixture.refusal("go", [Member("to", "nowhere")]),
            refusal.code == .invalid, refusal.subject == "to"
        else {
            Issue.record("the state nowhere was accepted")
            return
        }
        #expect(refusal.why == "expected one of \(Self.states.joined(separator: ", "))")
        #expect(fixture.refusal("promptTimedOut") == .forbidden)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a prompt without an answer times out`() throws {
        let fixture = try MachineFixture(Permissions(), "pushNotificationsDisplay")
        fixture.time.advance(by: .milliseconds(59_999))
        #expect(fixture.timers == ["promptTimedOut 1/60000"])
        fixture.time.advance(by: .milliseconds(1))
        #expect(fixture.state == "locationAsk")
        #expect(fixture.steps.last?.effects.first?.name == "showLocationScreen")
        try fixture.send("go", [Member("to", "locationDisplay")])
        fixture.time.advance(by: .seconds(60))
        #expect(fixture.state == "onboarded")
        #expect(fixture.refusal("go", [Member("to", "initial")]) == .finished)
        #expect(fixture.timers.isEmpty)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(arguments: seeds(100))
    func `random events and times follow the table`(_ seed: UInt64) throws {
        var random = SeededRandom(seed)
        let fixture = try MachineFixture(Permissions())
        // The expected state, the expected time left of its timer in milliseconds, and all expected effects.
        var (state, timeLeft, effects): (String, Int?, [String]) = ("initial", nil, [])
        func enter(_ row: (from: String, to: String, effect: String)) {
            state = row.to
            effects.append(row.effect)
            timeLeft = row.to.hasSuffix("Display") ? 60_000 : nil
        }
        for step in 0..<40 {
            if random.below(3) == 0 {
                let ms = random.pick([1, 30_000, 59_999, 60_000])
                fixture.time.advance(by: .milliseconds(Int64(ms)))
                let fires = timeLeft.map { ms >= $0 } ?? false
                timeLeft = timeLeft.map { $0 - ms }
                if fires {
                    let next = state == "locationDisplay" ? "onboarded" : "locationAsk"
                    enter(try #require(Self.rows.first { $0.from == state && $0.to == next }))
                }
            } else {
                let to = random.pick(Self.states)
                let refusal = fixture.refusal("go", [Member("to", to)])
                let row = Self.rows.first { $0.from == state && $0.to == to }
                let expected = state == "onboarded" ? "finished" : row == nil ? "noTransition" : nil
                #expect(refusal?.name == expected, "seed \(seed), step \(step)")
                if let row { enter(row) }
            }
            #expect(fixture.state == state, "seed \(seed), step \(step)")
            #expect(fixture.timers == (timeLeft.map { ["promptTimedOut \($0)/60000"] } ?? []))
            #expect(fixture.steps.flatMap { $0.effects.map(\.name) } == effects)
        }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `analysing the flow does not call the delegate`() {
        var calls = 0
        let flow = AnyFlow(Permissions { _, _ in calls += 1 })
        #expect(!flow.survey.isEmpty)
        #expect(calls == 0)
    }

    @Test func `the delegate is called after each transition, and not for a goto`()
        throws
    {
        var calls: [String] = []
        let fixture = try MachineFixture(Permissions { calls.append("\($0) → \($1)") })
        try fixture.send("go", [Member("to", "pushNotificationsAsk")])
        _ = fixture.refusal("go", [Member("to", "onboarded")])
        try fixture.machine.goto("locationDisplay", [], from: .tester)
        fixture.time.advance(by: .seconds(60))  // the prompt times out, which is a transition
        #expect(
            calls == ["initial → pushNotificationsAsk", "locationDisplay → onboarded"])
        fixture.expectOnlyItsOwnTimers()
    }
}
