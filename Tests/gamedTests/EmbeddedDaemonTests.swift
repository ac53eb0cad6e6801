import Connections
import GameFlow
import GamedServer
import Glibc
import ShippedFlows
import TestSupport
import Testing

/// A program runs the daemon in a task, beside its own work.
@Suite(.serialized) struct EmbeddedDaemonTests {
    private let folder = Folder()

    private var options: [String] {
        ["--socket", "\(folder.path)/s", "--state-dir", "\(folder.path)/state", "--flow", "quiz"]
    }

    /// Starts a daemon in a task, and returns a client that is connected to it.
    private func start() async throws -> (Task<Void, any Error>, Client) {
        let options = options
        let task = Task {
            let flows: [any Flow] = [Game(), Quiz()]
            try await GamedServer.run(flows: flows, options: options)
        }
        for _ in 0..<2000 {
            if let client = try? Client("\(folder.path)/s") { return (task, client) }
            try await Task.sleep(for: .milliseconds(5))
        }
        try await task.value
        throw CancellationError()
    }

    @Test func `after the cancellation everything is stored and closed`() async throws {
        var (task, client) = try await start()
        #expect(client.ask("send start rounds=2").hasPrefix("OK "))
        // One daemon may run at a time.
        await #expect(throws: GamedServer.StartError.self) {
            try await GamedServer.run(flows: [Game()], options: ["--socket", "/nowhere/s"])
        }
        task.cancel()
        try await task.value
        #expect(access("\(folder.path)/s", F_OK) != 0)
        (task, client) = try await start()
        #expect(client.ask("status").contains(#""state":"question""#))
        task.cancel()
        try await task.value
    }

    @Test(arguments: [
        ["--help"], ["--version"], ["--check"], ["--prepare", "--store", "postgresql:///none"],
    ])
    func `options after which the program gamed ends are refused`(_ arguments: [String])
        async throws
    {
        let options = options.prefix(2) + arguments
        let error = await #expect(throws: GamedServer.StartError.self) {
            try await GamedServer.run(flows: [Game()], options: Array(options))
        }
        #expect(error?.description.contains(arguments[0]) == true, "\(String(describing: error))")
    }

    @Test func `a daemon that cannot start says why`() async throws {
        let error = await #expect(throws: GamedServer.StartError.self) {
            try await GamedServer.run(flows: [Game()], options: ["--no-such-option"])
        }
        #expect(error?.description.contains("no-such-option") == true)
        await #expect(throws: GamedServer.StartError.self) {
            try await GamedServer.run(flows: [], options: ["--socket", "\(folder.path)/s"])
        }
        await #expect(throws: GamedServer.StartError.self) {
            try await GamedServer.run(flows: [Game()], options: ["--socket", "/nowhere/at/all"])
        }
    }
}
