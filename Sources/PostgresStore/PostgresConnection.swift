internal import CPostgreSQL
internal import EventLoop
internal import Support
internal import Timers

/// A connection in libpq's pipeline mode, used by the event loop without blocking.
///
/// Statements are sent in groups. A group is one transaction: all of its statements are executed,
/// or none. Groups are executed in order. A group is sent without waiting for the results of the
/// group before it.
final class PostgresConnection {
    typealias GroupResult = Result<[PostgresResult], PostgresError>

    private let handle: ConnectionHandle
    private var readable: DescriptorWatcher?
    private var writable: DescriptorWatcher?
    private let loop: LibeventLoop
    /// The groups whose results have not arrived completely, in the order in which they were sent.
    private var waiting = Deque<(GroupResult) -> Void>()
    /// The results that have arrived for the first waiting group.
    private var results: [PostgresResult] = []
    /// The first error that has arrived for the first waiting group.
    private var error: PostgresError?
    private var deadline: ScopedCountdown?
    private var isOpen = true
    /// Called once if the connection is lost, after the waiting groups have failed. `silence` is how long the server has not
    /// answered, if this is why the connection was closed.
    var lost: (_ error: PostgresError, _ silence: Duration) -> Void = { _, _ in }
    /// Called for each notification of a channel to which this connection listens.
    var notified: () -> Void = {}
    /// The time that the server may take for a group before the connection is closed.
    private let timeout: Duration

    /// Takes over an open connection, and prepares these statements. Calls `ready` when they are prepared, or with the error.
    init(
        _ handle: ConnectionHandle, on loop: LibeventLoop, timeout: Duration = .seconds(5),
        preparing statements: [Statement] = [], _ ready: @escaping (GroupResult) -> Void = { _ in }
    ) throws(EventLoopError) {
        (self.handle, self.loop, self.timeout) = (handle, loop, timeout)
        let connection = handle.pointer
        PQsetnonblocking(connection, 1)
        PQenterPipelineMode(connection)
        let socket = PQsocket(connection)
        readable = try DescriptorWatcher(socket, .readable, on: loop) { [unowned self] in read() }
        writable = try DescriptorWatcher(socket, .writable, on: loop, isEnabled: false) {
            [unowned self] in flush()
        }
        send(ready) { statements.allSatisfy { prepare($0) } }
    }

    deinit { close() }

    /// Ends the connection. The callbacks of waiting groups are not called.
    func close() {
        guard isOpen else { return }
        isOpen = false
        (readable, writable, deadline) = (nil, nil, nil)
        handle.close()
    }

    // MARK: sending

    /// Executes commands as one transaction. The results are in the order of the commands.
    func execute(_ commands: [PostgresCommand], _ done: @escaping (GroupResult) -> Void) {
        guard isOpen else { return done(.failure(PostgresError(connection: nil))) }
        send(done) { commands.allSatisfy { send($0) } }
    }

    /// Sends a group, which ends with a Sync message. `work` passes the statements of the group to libpq.
    private func send(_ done: @escaping (GroupResult) -> Void, _ work: () -> Bool) {
        waiting.append(done)
        guard work(), PQpipelineSync(handle.pointer) == 1 else {
            // libpq is out of memory, or has noticed that the connection is lost.
            return fail(PostgresError(connection: handle.pointer))
        }
        if deadline == nil { startTimeout() }
        flush()
    }

    private func prepare(_ statement: Statement) -> Bool {
        PQsendPrepare(handle.pointer, statement.name, statement.text, 0, nil) == 1
    }

    /// Passes a command to libpq, which copies it. Results are requested in binary format.
    private func send(_ command: PostgresCommand) -> Bool {
        command.parameters.withArguments { list in
            switch command.form {
            case .prepared(let statement):
                PQsendQueryPrepared(
                    handle.pointer, statement.name, list.count, list.values, list.lengths,
                    list.formats, 1) == 1
            case .text(let text):
                PQsendQueryParams(
                    handle.pointer, text, list.count, nil, list.values, list.lengths, list.formats,
                    1) == 1
            }
        }
    }

    private func flush() {
        switch PQflush(handle.pointer) {
        case 0: writable?.disable()
        case 1: writable?.enable()
        default: fail(PostgresError(connection: handle.pointer))
        }
    }

    // MARK: receiving

    private func read() {
        guard PQconsumeInput(handle.pointer) == 1 else {
            return fail(PostgresError(connection: handle.pointer))
        }
        var consecutiveNils = 0
        while isOpen, !waiting.isEmpty, PQisBusy(handle.pointer) == 0,
            consecutiveNils < 2
        {
            guard let result = PQgetResult(handle.pointer) else {
                // One nil ends the results of a command. A second nil in a row means that nothing more has arrived.
                consecutiveNils += 1
                continue
            }
            consecutiveNils = 0
            receive(result)
        }
        guard isOpen else { return }
        while let notification = PQnotifies(handle.pointer) {
            PQfreemem(notification)
            notified()
        }
        if PQstatus(handle.pointer) == CONNECTION_BAD {
            return fail(PostgresError(connection: handle.pointer))
        }
        flush()
    }

    private func receive(_ result: OpaquePointer) {
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            results.append(PostgresResult(result))
        case PGRES_PIPELINE_ABORTED: break  // an earlier command of the group has failed
        case PGRES_PIPELINE_SYNC: finishGroup()
        default: error = error ?? PostgresError(result)
        }
    }

    /// The Sync of a group was answered: its transaction has ended.
    private func finishGroup() {
        guard let done = waiting.removeFirst() else { return }
        deadline = nil
        if !waiting.isEmpty { startTimeout() }
        let results = exchange(&self.results, with: [])
        let error = exchange(&self.error, with: nil)
        done(error.map { .failure($0) } ?? .success(results))
    }

    private func startTimeout() {
        deadline = ScopedCountdown(on: loop, timeout) { [unowned self] in
            fail(.timedOut, after: timeout)
        }
    }

    // MARK: the end

    /// Ends the connection, and reports the error to all waiting groups.
    private func fail(_ error: PostgresError, after silence: Duration = .zero) {
        guard isOpen else { return }
        var groups = exchange(&waiting, with: Deque())
        // A server that shuts down says so in a result, and then closes the connection.
        let error = PostgresError(.disconnected, self.error?.why ?? error.why)
        close()
        while let done = groups.removeFirst() { done(.failure(error)) }
        lost(error, silence)
    }
}
