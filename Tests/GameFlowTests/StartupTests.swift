import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct StartupTests {
    private func link(_ number: Int) -> [Member] { [Member("link", "app://\(number)")] }

    private let hasSession = [Member("hasSession", true)]

    @Test func `a link that arrives during hydration is shown after it`() throws {
        let fixture = try MachineFixture(Startup())
        try fixture.send("didLaunch")
        try fixture.send("deepLink", link(1))
        #expect(fixture.state == "hydrating")
        #expect(fixture.timers == ["hydrateTimedOut 10000/10000"])
        try fixture.send("hydrateSucceeded", hasSession)
        #expect(fixture.steps.suffix(2).map(\.to?.state) == ["ready", "showing"])
        #expect(fixture.data == [Member("userID", "unknown-yet"), Member("link", "app://1")])
        #expect(fixture.steps.last?.effects.first?.name == "openLink")
        fixture.expectOnlyItsOwnTimers()
    }

    /// Sends two links between the events of the start-up, at all pairs of positions.
    @Test func `two links are shown in order, wherever they arrive during the start-up`() throws {
        let startupEvents: [(name: String, arguments: [Member])] = [
            ("didLaunch", []), ("hydrateSucceeded", [Member("hasSession", false)]),
            ("loginRequested", []), ("loginSucceeded", [Member("userID", "ann")]),
        ]
        for firstPosition in 0...startupEvents.count {
            for secondPosition in firstPosition...startupEvents.count {
                let fixture = try MachineFixture(Startup())
                for (index, event) in startupEvents.enumerated() {
                    if index == firstPosition { try fixture.send("deepLink", link(1)) }
                    if index == secondPosition { try fixture.send("deepLink", link(2)) }
                    try fixture.send(event.name, event.arguments)
                }
                if firstPosition == startupEvents.count { try fixture.send("deepLink", link(1)) }
                if secondPosition == startupEvents.count { try fixture.send("deepLink", link(2)) }
                #expect(fixture.state == "showing", "\(firstPosition), \(secondPosition)")
                #expect(fixture.data == [Member("userID", "ann"), Member("link", "app://2")])
                let shown = fixture.steps.filter { $0.effects.first?.name == "openLink" }
                #expect(shown.map { $0.event?.arguments } == [link(1), link(2)])
                #expect(fixture.machine.deferredCount == 0)
                fixture.expectOnlyItsOwnTimers()
            }
        }
    }

    @Test func `a deferred link is shown however long the hydration takes`() throws {
        for ms in [0, 1, 4999, 9999] as [Int64] {
            let fixture = try MachineFixture(Startup())
            try fixture.send("didLaunch")
            try fixture.send("deepLink", link(7))
            fixture.time.advance(by: .milliseconds(ms))
            try fixture.send("hydrateSucceeded", hasSession)
            #expect(fixture.data.last == Member("link", "app://7"))
            fixture.expectOnlyItsOwnTimers()
        }
    }

    @Test func `sixteen links are deferred in order, and the seventeenth is refused`() throws {
        let fixture = try MachineFixture(Startup())
        for number in 1...16 { try fixture.send("deepLink", link(number)) }
        let before = fixture.summary
        #expect(fixture.refusal("deepLink", link(17)) == .deferQueueFull)
        #expect(fixture.summary == before)
        try fixture.send("didLaunch")
        #expect(fixture.machine.deferredCount == 16)
        try fixture.send("hydrateSucceeded", hasSession)
        let shown = fixture.steps.filter { $0.to?.state == "showing" }.map { $0.event?.arguments }
        #expect(shown == (1...16).map { link($0) })
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `an invalid link is refused, not deferred`() throws {
        let fixture = try MachineFixture(Startup())
        for wrong in [
            "", "x", "://x", "app://", "app:/x", "1app://x", "app://a b", "a p://x", "äpp://x",
        ] {
            guard let refusal = fixture.refusal("deepLink", [Member("link", wrong)]),
                refusal.code == .invalid, refusal.subject == "link"
            else {
                Issue.record("\(wrong) was accepted")
                continue
            }
        }
        for right in ["a://b", "https://x.org/?q=1", "a+b-c.9://ü"] {
            #expect(fixture.refusal("deepLink", [Member("link", right)]) == nil, "\(right)")
        }
        fixture.expectOnlyItsOwnTimers()
    }

    @Test(arguments: ["", String(repeating: "ü", count: 65)])
    func `the states ready and showing require a user`(_ userID: String) throws {
        let data = [Member("userID", userID)]
        #expect(throws: Reason.self) { try MachineFixture(Startup(), "ready", data) }
        #expect(throws: Reason.self) {
            try MachineFixture(Startup(), "showing", data + [Member("link", "a://b")])
        }
        let fixture = try MachineFixture(Startup(), "authenticating")
        let before = fixture.summary
        #expect(
            fixture.refusal("loginSucceeded", data)
                == .invalid("userID", "expected 1…64 characters"))
        #expect(fixture.summary == before)
        try fixture.send("loginSucceeded", [Member("userID", String(repeating: "ü", count: 64))])
        fixture.expectOnlyItsOwnTimers()
    }

    @Test func `synchronizing keeps the state and does not restart its pendulum`() throws {
        let fixture = try MachineFixture(Startup(), "ready", [Member("userID", "ann")])
        fixture.time.advance(by: .seconds(90))
        #expect(fixture.steps.last?.effects.first?.name == "synchronize")
        #expect(fixture.timers == ["sync 30000/60000"])
        // The state `showing` has a pendulum of its own.
        try fixture.send("deepLink", link(1))
        #expect(fixture.timers == ["sync 60000/60000"])
        fixture.expectOnlyItsOwnTimers()
    }
}
