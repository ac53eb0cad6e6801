import Orchestrator

/// Services that answer after a moment, in place of a disk and a network.
private struct DemoServices: Services {
    func loadToken() async -> String? {
        try? await Task.sleep(for: .milliseconds(300))
        return "token-of-ann"
    }

    func validate(_ token: String) async throws -> String {
        try await Task.sleep(for: .milliseconds(300))
        return String(token.dropFirst("token-of-".count))
    }

    func authenticate() async throws -> String { "ann" }
    func synchronize() async throws {}
}

/// Starts the app, with a link that arrives too early, and prints each state.
@main struct Main {
    @MainActor static func main() async throws {
        let orchestrator = AppOrchestrator(DemoServices())
        try orchestrator.open(link: "app://door/7")
        try orchestrator.launch()
        for await state in orchestrator.app.states {
            print(state)
            if case .showing = state { return }
        }
    }
}
