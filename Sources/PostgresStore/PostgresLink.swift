internal import EventLoop
internal import Support
internal import Timers

/// Keeps a connection to the database: connects, and connects again after a loss.
///
/// A worker thread connects and checks the server; the connection is then used by the event loop.
final class PostgresLink: DatabaseLink {
    private let location: PostgresLocation
    /// Whether a server that may lose acknowledged changes is accepted from the start.
    private let acceptsWeakStore: Bool
    /// Whether there was a connection. From then on, a server that may lose acknowledged changes is accepted: after the failure of
    /// a server, no node would answer otherwise. The daemon warns of such a server; see `LeaseTable.readWeaknesses`.
    private var hasConnected = false
    private let statements: [Statement]
    private let loop: LibeventLoop
    private let timeout: Duration
    private var connection: PostgresConnection?
    var isConnected: Bool { connection != nil }
    private var attempt: ConnectionAttempt?
    /// Runs until the next attempt.
    private var pause: ScopedCountdown?
    private var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2), spread: .random)
    private var isStopped = true
    /// Called after each new connection is made. The server may still refuse to prepare the statements.
    var opened: () -> Void = {}
    /// Called for each notification of a channel to which the connection listens.
    var notified: () -> Void = {}
    var failed: (_ error: PostgresError, _ silence: Duration) -> Void = { _, _ in }

    init(
        _ location: PostgresLocation, acceptsWeakStore: Bool,
        preparing statements: [Statement], on loop: LibeventLoop,
        timeout: Duration = .seconds(5)
    ) {
        self.timeout = timeout
        (self.location, self.acceptsWeakStore) = (location, acceptsWeakStore)
        (self.statements, self.loop) = (statements, loop)
    }

    /// Begins to connect.
    func start() {
        isStopped = false
        connect()
    }

    /// Ends the connection, and makes no further one.
    func stop() {
        isStopped = true
        (attempt, pause) = (nil, nil)
        exchange(&connection, with: nil)?.close()
    }

    /// Sends commands as one transaction. Fails at once if there is no connection.
    func execute(
        _ commands: [PostgresCommand],
        _ done: @escaping (Result<[PostgresResult], PostgresError>) -> Void
    ) {
        guard let connection else {
            return done(.failure(PostgresError(.disconnected, "not connected")))
        }
        connection.execute(commands, done)
    }

    private func connect() {
        do throws(EventLoopError) {
            attempt = try ConnectionAttempt(
                location, acceptsWeakStore: acceptsWeakStore || hasConnected, on: loop
            ) {
                [weak self] result in
                guard let self, !isStopped else { return (try? result.get())?.close() ?? () }
                attempt = nil
                attemptEnded(result)
            }
        } catch { lose(PostgresError(.disconnected, "\(error)")) }
    }

    private func attemptEnded(_ result: Result<ConnectionHandle, PostgresError>) {
        do {
            let connection = try PostgresConnection(
                try result.get(), on: loop, timeout: timeout, preparing: statements
            ) { [weak self] prepared in
                if case .failure(let error) = prepared, !error.isDisconnect { self?.refuse(error) }
            }
            connection.lost = { [weak self] in self?.lose($0, $1) }
            connection.notified = { [weak self] in self?.notified() }
            self.connection = connection
            hasConnected = true
            backoff.succeed()
            opened()
        } catch {
            lose(error as? PostgresError ?? PostgresError(.disconnected, "\(error)"))
        }
    }

    /// The server has refused to prepare the statements.
    private func refuse(_ error: PostgresError) {
        connection?.close()
        lose(error)
    }

    private func lose(_ error: PostgresError, _ silence: Duration = .zero) {
        connection = nil
        guard !isStopped else { return }
        pause = ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in connect() }
        failed(error, silence)
    }
}

/// One attempt to connect, on a worker thread.
private final class ConnectionAttempt {
    private let inbox: ThreadInbox<Result<ConnectionHandle, PostgresError>>
    private var watcher: DescriptorWatcher?

    /// Begins an attempt. `done` is called on the loop's thread. It is called even if the attempt was released in the meantime.
    /// So the caller can close every connection that was opened.
    init(
        _ location: PostgresLocation, acceptsWeakStore: Bool, on loop: LibeventLoop,
        _ done: @escaping (Result<ConnectionHandle, PostgresError>) -> Void
    ) throws(EventLoopError) {
        inbox = try ThreadInbox()
        watcher = try inbox.open(on: loop) { [self] result in
            watcher = nil
            done(result)
        }
        do throws(EventLoopError) {
            try WorkerThread.start { [inbox] in
                do throws(PostgresError) {
                    inbox.send(
                        .success(try Self.connect(location, acceptsWeakStore: acceptsWeakStore)))
                } catch { inbox.send(.failure(error)) }
            }
        } catch {
            watcher = nil
            throw error
        }
    }

    private static func connect(
        _ location: PostgresLocation, acceptsWeakStore: Bool
    ) throws(PostgresError) -> ConnectionHandle {
        let session = try PostgresSession(location)
        try ServerCheck.check(
            session, severalHosts: location.namesSeveralHosts, acceptsWeakStore: acceptsWeakStore)
        // A stalled process may hold the lock of a shard. A statement that waits for this lock fails after 1 s. The store then
        // ends the connection of the stalled process.
        try session.script("SET lock_timeout = '1s'")
        guard let handle = session.release() else { throw PostgresError(connection: nil) }
        return handle
    }
}
