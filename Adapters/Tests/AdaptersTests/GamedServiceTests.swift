import GameFlow
import GamedLifecycle
import Glibc
import Logging
import ServiceLifecycle
import ShippedFlows
import Testing

/// The daemon as a service. One daemon runs at a time in a process.
@Suite(.serialized) struct GamedServiceTests {
    private let socket = "/tmp/gamed-adapters-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"

    private var service: GamedService {
        GamedService(options: ["--config", "/dev/null", "--socket", socket]) { [Game()] }
    }

    /// Waits until the daemon has its socket, at most a minute.
    private func waitForSocket() async throws {
        for _ in 0..<6000 where access(socket, F_OK) != 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(access(socket, F_OK) == 0)
    }

    @Test func `a graceful shutdown of the group ends the daemon, and run returns`() async throws {
        let logger = Logger(label: "test") { _ in LogRecorder() }
        let group = ServiceGroup(services: [service], logger: logger)
        let task = Task { try await group.run() }
        try await waitForSocket()
        await group.triggerGracefulShutdown()
        try await task.value
        #expect(access(socket, F_OK) != 0)
    }

    @Test func `a cancelled service returns when the daemon has ended`() async throws {
        let service = service
        let task = Task { try await service.run() }
        try await waitForSocket()
        task.cancel()
        try await task.value
        #expect(access(socket, F_OK) != 0)
    }

    @Test func `a service whose daemon cannot start throws`() async throws {
        let service = GamedService(options: ["--no-such-option"]) { [Game()] }
        let error = await #expect(throws: (any Error).self) { try await service.run() }
        #expect("\(error!)".contains("no-such-option"))
    }
}
