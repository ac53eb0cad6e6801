import GameFlow
import Orchestrator
import ShippedFlows
import Testing
import Timers

/// Services whose answers are fixed, and which record their calls.
private actor FakeServices: Services {
    private(set) var calls: [String] = []
    private let token: String?
    private let user: String?

    init(token: String? = nil, user: String? = "ann") { (self.token, self.user) = (token, user) }

    struct Failure: Error, CustomStringConvertible { let description: String }

    func loadToken() async -> String? {
        calls.append("load")
        return token
    }

    func validate(_ token: String) async throws -> String {
        calls.append("validate \(token)")
        guard token == "good" else { throw Failure(description: "expired") }
        return "ann"
    }

    func authenticate() async throws -> String {
        calls.append("authenticate")
        guard let user else { throw Failure(description: "wrong password") }
        return user
    }

    func synchronize() async throws { calls.append("synchronize") }
}

@MainActor @Suite struct AppOrchestratorTests {
    private let clock = VirtualClock()

    /// Calls `act`, and waits until the app enters a state with the name `last`. Returns the names of the states from the state
    /// before `act` to that state.
    private func states(
        _ orchestrator: AppOrchestrator, until last: String, _ act: () throws -> Void
    ) async throws -> [String] {
        let states = orchestrator.app.states
        try act()
        var seen: [String] = []
        for await state in states {
            seen.append(Startup().describe(state).name.rawValue)
            if seen.last == last { break }
        }
        return seen
    }

    @Test func `with a good token, a link opened before the launch is shown`() async throws {
        let services = FakeServices(token: "good")
        let orchestrator = AppOrchestrator(services, on: clock)
        let seen = try await states(orchestrator, until: "showing") {
            try orchestrator.open(link: "app://door/7")
            try orchestrator.launch()
        }
        #expect(seen == ["launching", "hydrating", "validating", "ready", "showing"])
        #expect(await services.calls == ["load", "validate good"])
        guard case .showing("ann", "app://door/7") = orchestrator.app.state else {
            Issue.record("\(orchestrator.app.state)")
            return
        }
    }

    @Test func `a bad token is an error, and a retry checks the token again`() async throws {
        let services = FakeServices(token: "bad")
        let orchestrator = AppOrchestrator(services, on: clock)
        var seen = try await states(orchestrator, until: "error") { try orchestrator.launch() }
        #expect(seen == ["launching", "hydrating", "validating", "error"])
        seen = try await states(orchestrator, until: "hydrating") {
            try orchestrator.app.send(.retry)
        }
        #expect(seen == ["error", "hydrating"])
        await orchestrator.app.finishHandlers()
        #expect(await services.calls == ["load", "validate bad", "load", "validate bad"])
    }

    @Test func `without a token the user logs in, and a sync is acknowledged`() async throws {
        let services = FakeServices()
        let orchestrator = AppOrchestrator(services, on: clock)
        var seen = try await states(orchestrator, until: "needsLogin") { try orchestrator.launch() }
        seen += try await states(orchestrator, until: "ready") {
            try orchestrator.app.send(.loginRequested)
        }
        seen += try await states(orchestrator, until: "syncing") {
            try orchestrator.app.send(.syncRequested)
        }
        seen += try await states(orchestrator, until: "ready") {}
        #expect(
            seen == [
                "launching", "hydrating", "needsLogin", "needsLogin", "authenticating", "ready",
                "ready", "syncing", "syncing", "ready",
            ])
        #expect(await services.calls == ["load", "authenticate", "synchronize"])
    }

    @Test func `a failed login says why`() async throws {
        let orchestrator = AppOrchestrator(FakeServices(user: nil), on: clock)
        _ = try await states(orchestrator, until: "needsLogin") { try orchestrator.launch() }
        _ = try await states(orchestrator, until: "error") {
            try orchestrator.app.send(.loginRequested)
        }
        guard case .error("wrong password") = orchestrator.app.state else {
            Issue.record("\(orchestrator.app.state)")
            return
        }
    }

    @Test func `a start that takes too long times out, and its late answer is dropped`()
        async throws
    {
        let orchestrator = AppOrchestrator(FakeServices(token: "good"), on: clock)
        var staleCount = 0
        orchestrator.app.didRefuse = { if $0.reason == .stale { staleCount += 1 } }
        try orchestrator.launch()
        // The handler has not run yet: it needs the actor on which this test runs.
        clock.advance(by: .seconds(10))
        await orchestrator.app.finishHandlers()
        #expect(staleCount == 1)
        guard case .error("hydration timed out") = orchestrator.app.state else {
            Issue.record("\(orchestrator.app.state)")
            return
        }
    }
}
