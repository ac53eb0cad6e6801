public import GameFlow
import GamedServer
public import ServiceLifecycle

/// The daemon gamed as a service of a `ServiceGroup`.
///
/// ```swift
/// let gamed = GamedService(options: ["--http", "127.0.0.1:8080"]) { [HeistFlow()] }
/// let group = ServiceGroup(services: [gamed], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// The daemon runs on a thread of its own, and one may run at a time; `GamedServer.run(flows:options:)` says what it leaves to the
/// program. The group handles the signals.
public struct GamedService: Service {
    private let options: [String]
    private let flows: @Sendable () -> [any Flow]

    /// `options` are the words of a command line of gamed, without the name of the program. `flows` makes the flows of the daemon
    /// at each call of `run`, because a flow belongs to one thread.
    public init(options: [String], flows: @escaping @Sendable () -> [any Flow]) {
        (self.options, self.flows) = (options, flows)
    }

    /// Runs the daemon until the group shuts down gracefully, or the task is cancelled. In both cases it returns when everything is
    /// stored and closed. Throws `GamedServer.StartError` if the daemon cannot start.
    public func run() async throws {
        let daemon = Task { [options, flows] in
            try await GamedServer.run(flows: flows(), options: options)
        }
        try await withTaskCancellationOrGracefulShutdownHandler {
            try await daemon.value
        } onCancelOrGracefulShutdown: {
            daemon.cancel()
        }
    }
}
