import GameFlow
import ShippedFlows
import Testing
import Timers

@Suite struct OnboardingTests {
    @Test
    func
        `the end of an outage returns to the state in which it began, and an error keeps its message`()
        throws
    {
        let fixture = try MachineFixture(Onboarding())
        fixture.time.advance(by: .seconds(20))
        #expect(fixture.data == [Member("message", "account loader timed out")])
        try fixture.send("serversDown")
        #expect(
            fixture.data == [
                Member("resume", "error"), Member("message", "account loader timed out"),
            ])
        #expect(fixture.refusal("connectivityLost") == .noTransition)
        fixture.time.advance(by: .seconds(11))
        #expect(
            fixture.steps.suffix(2).flatMap { $0.effects.map(\.name) }
                == ["checkConnection", "checkConnection"])
        try fixture.send("connectivityRestored")
        #expect(fixture.state == "error")
        #expect(fixture.data == [Member("message", "account loader timed out")])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `a hardware address is stored in upper case with colons`() throws {
        let wrong = ["", "0:1:2:3:4:5", "00:11:22:33:44", "00:11:22:33:44:5g", "00-11:22:33:44:55"]
        for text in wrong + ["00:11:22:33:44:55:66", "00:11:22:33:44:５５"] {
            let fixture = try MachineFixture(Onboarding(), "deviceIdentification")
            guard
                let refusal = fixture.refusal("deviceWasIdentified", [Member("cmMac", text)]),
                refusal.code == .invalid, refusal.subject == "cmMac"
            else {
                Issue.record("\(text) was accepted")
                continue
            }
        }
        let fixture = try MachineFixture(Onboarding(), "deviceIdentification")
        try fixture.send("deviceWasIdentified", [Member("cmMac", "a0-b1-c2-d3-e4-f5")])
        #expect(fixture.data == [Member("cmMac", "A0:B1:C2:D3:E4:F5")])
        #expect(fixture.refusal("accessTokenRevoked") == .finished)
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(arguments: [
        [Member("resume", "error")], [Member("resume", "offline")],
        [Member("resume", "welcome"), Member("message", "m")], [],
    ])
    func `the state offline cannot be opened with impossible data`(_ data: [Member]) {
        #expect(throws: Reason.self) { try MachineFixture(Onboarding(), "offline", data) }
    }
}
