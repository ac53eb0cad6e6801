internal import CPostgreSQL

/// A connection whose calls block, for threads that may wait. It is used to start connections, for backups, and by gamectl.
final class PostgresSession {
    private var handle: ConnectionHandle?

    /// Connects. Throws if no connection can be made; does not check whether gamed can use the server.
    init(_ location: PostgresLocation) throws(PostgresError) {
        handle = try ConnectionHandle.connect(to: location)
    }

    deinit { handle?.close() }

    /// Gives the connection to the caller; the session cannot be used afterwards.
    consuming func release() -> ConnectionHandle? { exchange(&handle, with: nil) }

    /// Executes one statement. Wraps `PQexecParams`.
    @discardableResult
    func run(_ text: String, _ parameters: [BinaryValue] = []) throws(PostgresError)
        -> PostgresResult
    {
        let result = parameters.withArguments {
            PQexecParams(
                handle?.pointer, text, $0.count, nil, $0.values, $0.lengths, $0.formats, 1)
        }
        return try check(result)
    }

    /// Executes statements without parameters. Their text must not contain data of clients. Wraps `PQexec`.
    func script(_ text: String) throws(PostgresError) {
        _ = try check(PQexec(handle?.pointer, text))
    }

    private func check(_ result: OpaquePointer?) throws(PostgresError) -> PostgresResult {
        guard let result else { throw PostgresError(connection: handle?.pointer) }
        defer { PQclear(result) }
        guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else {
            guard PQstatus(handle?.pointer) == CONNECTION_OK else {
                throw PostgresError(connection: handle?.pointer)
            }
            throw PostgresError(result)
        }
        return PostgresResult(result)
    }

    /// The first value of the first row, as text.
    func value(_ text: String, _ parameters: [BinaryValue] = []) throws(PostgresError) -> String? {
        try run(text, parameters).text(0, 0)
    }
}
