public import Logging
import Synchronization

/// The declarations of swift-service-lifecycle that the adapters and their tests use. They have the same signatures as those of the
/// package, but the initializer of `ServiceGroup` has no parameters for signals, whose type is in another module.
public protocol Service: Sendable {
    func run() async throws
}

/// Calls `handler` when the group shuts down gracefully or the task is cancelled; at once if that was before.
public func withTaskCancellationOrGracefulShutdownHandler<T>(
    isolation: isolated (any Actor)? = #isolation, operation: () async throws -> T,
    onCancelOrGracefulShutdown handler: @Sendable @escaping () -> Void
) async rethrows -> T {
    try await withTaskCancellationHandler {
        Shutdown.current?.add(handler)
        return try await operation()
    } onCancel: {
        handler()
    }
}

public actor ServiceGroup: Service {
    private let services: [any Service]
    private let shutdown = Shutdown()

    public init(services: [any Service], logger: Logger) { self.services = services }

    public func run() async throws {
        try await Shutdown.$current.withValue(shutdown) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for service in services { group.addTask { try await service.run() } }
                try await group.waitForAll()
            }
        }
    }

    public func triggerGracefulShutdown() async { shutdown.begin() }
}

/// The graceful shutdown of a group.
private final class Shutdown: Sendable {
    @TaskLocal static var current: Shutdown?

    private struct State {
        var hasBegun = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func add(_ handler: @Sendable @escaping () -> Void) {
        let isLate = state.withLock { state in
            if !state.hasBegun { state.handlers.append(handler) }
            return state.hasBegun
        }
        if isLate { handler() }
    }

    func begin() {
        let handlers = state.withLock { state in
            state.hasBegun = true
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
