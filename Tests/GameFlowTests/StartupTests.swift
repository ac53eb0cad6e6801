import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct StartupTests {
    private func link(_ number: Int) -> [Member] { [Member("link", "app://\(number)")] }

    private let hasSession = [Member("hasSession", true)]

    @Test func `a link that arrives during hydration is shown after it`() throws {
        let stage = try MachineFixture(Startup())
        try stage.send("didLaunch")
        try stage.send("deepLink", link(1))
        #expect(stage.state == "hydrating")
        #expect(stage.timers == ["hydrateTimedOut 10000/10000"])
        try stage.send("hydrateSucceeded", hasSession)
        #expect(stage.steps.suffix(2).map(\.to?.state) == ["ready", "showing"])
        #expect(stage.data == [Member("userID", "unknown-yet"), Member("link", "app://1")])
        #expect(stage.steps.last?.effects.first?.name == "openLink")
        stage.expectOnlyItsOwnTimers()
    }

    /// A link during start-up and what the start-up itself does, in every order that there is: the
    /// link is what is shown in the end.
    @Test func `the link is shown in every order of link, launch, hydration and login`() throws {
        let way: [(String, [Member])] = [
            ("didLaunch", []), ("hydrateSucceeded", [Member("hasSession", false)]),
            ("loginRequested", []), ("loginSucceeded", [Member("userID", "ann")]),
        ]
        for place in 0...way.count {
            for second in place...way.count {
                let stage = try MachineFixture(Startup())
                for (index, step) in way.enumerated() {
                    if index == place { try stage.send("deepLink", link(1)) }
                    if index == second { try stage.send("deepLink", link(2)) }
                    try stage.send(step.0, step.1)
                }
                if place == way.count { try stage.send("deepLink", link(1)) }
                if second == way.count { try stage.send("deepLink", link(2)) }
                #expect(stage.state == "showing", "\(place), \(second)")
                #expect(stage.data == [Member("userID", "ann"), Member("link", "app://2")])
                let shown = stage.steps.filter { $0.effects.first?.name == "openLink" }
                #expect(shown.map { $0.event?.arguments } == [link(1), link(2)])
                #expect(stage.machine.deferredCount == 0)
                stage.expectOnlyItsOwnTimers()
            }
        }
    }

    @Test func `the link takes precedence over a hydration that finishes later`() throws {
        for ms in [0, 1, 4999, 9999] as [Int64] {
            let stage = try MachineFixture(Startup())
            try stage.send("didLaunch")
            try stage.send("deepLink", link(7))
            stage.time.advance(by: .milliseconds(ms))
            try stage.send("hydrateSucceeded", hasSession)
            #expect(stage.data.last == Member("link", "app://7"))
            stage.expectOnlyItsOwnTimers()
        }
    }

    @Test func `sixteen links are deferred in order, and the seventeenth is refused`() throws {
        let stage = try MachineFixture(Startup())
        for number in 1...16 { try stage.send("deepLink", link(number)) }
        let before = stage.everything
        #expect(stage.refusal("deepLink", link(17)) == .deferQueueFull)
        #expect(stage.everything == before)
        try stage.send("didLaunch")
        #expect(stage.machine.deferredCount == 16)
        try stage.send("hydrateSucceeded", hasSession)
        let shown = stage.steps.filter { $0.to?.state == "showing" }.map { $0.event?.arguments }
        #expect(shown == (1...16).map { link($0) })
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `an invalid link is refused, not deferred`() throws {
        let stage = try MachineFixture(Startup())
        for wrong in [
            "", "x", "://x", "app://", "app:/x", "1app://x", "app://a b", "a p://x", "äpp://x",
        ] {
            guard let refusal = stage.refusal("deepLink", [Member("link", wrong)]),
                refusal.code == .invalid, refusal.subject == "link"
            else {
                Issue.record("\(wrong) is taken")
                continue
            }
        }
        for right in ["a://b", "https://x.org/?q=1", "a+b-c.9://ü"] {
            #expect(stage.refusal("deepLink", [Member("link", right)]) == nil, "\(right)")
        }
        stage.expectOnlyItsOwnTimers()
    }

    @Test(arguments: ["", String(repeating: "ü", count: 65)])
    func `the states ready and showing require a user`(_ userID: String) throws {
        let data = [Member("userID", userID)]
        #expect(throws: Reason.self) { try MachineFixture(Startup(), "ready", data) }
        #expect(throws: Reason.self) {
            try MachineFixture(Startup(), "showing", data + [Member("link", "a://b")])
        }
        let stage = try MachineFixture(Startup(), "authenticating")
        let before = stage.everything
        #expect(
            stage.refusal("loginSucceeded", data) == .invalid("userID", "not of 1…64 characters"))
        #expect(stage.everything == before)
        try stage.send("loginSucceeded", [Member("userID", String(repeating: "ü", count: 64))])
        stage.expectOnlyItsOwnTimers()
    }

    @Test func `synchronizing keeps the state, and its pendulum keeps its grid`() throws {
        let stage = try MachineFixture(Startup(), "ready", [Member("userID", "ann")])
        stage.time.advance(by: .seconds(90))
        #expect(stage.steps.last?.effects.first?.name == "synchronize")
        #expect(stage.timers == ["sync 30000/60000"])
        try stage.send("deepLink", link(1))
        #expect(stage.timers == ["sync 60000/60000"])
        stage.expectOnlyItsOwnTimers()
    }
}
