internal import CPostgreSQL
internal import Glibc

/// An open connection of libpq. Only one thread may use it at a time. The thread that makes a connection may pass it to another
/// thread.
struct ConnectionHandle: Sendable {
    /// The address of the `PGconn`. A number rather than a pointer, because pointers are not
    /// `Sendable`.
    private let address: UInt

    private init(_ connection: OpaquePointer) { address = UInt(bitPattern: connection) }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    /// Connects. Blocks until it has finished, so call it on a thread that may wait. Wraps
    /// `PQconnectdbParams`.
    ///
    /// `PQconnectPoll` cannot be used on the event loop, because it can block. If the URL names several hosts, `PQconnectPoll`
    /// resolves the name of each further host when it tries this host. Meanwhile it blocks until the name server answers.
    static func connect(to location: PostgresLocation) throws(PostgresError) -> ConnectionHandle {
        let parameters: [(String, String)]
        do throws(PostgresLocation.LocationError) { parameters = try location.parameters() } catch {
            throw PostgresError(.unsuitable, error.why)
        }
        let connection = withCStrings(parameters.map(\.0)) { names in
            withCStrings(parameters.map(\.1)) { values in
                PQconnectdbParams(names, values, 1)
            }
        }
        guard let connection else { throw PostgresError(.disconnected, "out of memory") }
        guard PQstatus(connection) == CONNECTION_OK else {
            let error = PostgresError(connecting: connection)
            PQfinish(connection)
            throw error
        }
        postgres_ignore_notices(connection)
        return ConnectionHandle(connection)
    }

    /// Calls `work` with a list of C strings that ends with nil.
    private static func withCStrings<Result>(
        _ texts: [String], _ work: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let list = copies.map { UnsafePointer($0) } + [nil]
        return list.withUnsafeBufferPointer { work($0.baseAddress) }
    }

    func close() { PQfinish(pointer) }
}
