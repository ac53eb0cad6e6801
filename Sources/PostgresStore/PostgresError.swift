internal import CPostgreSQL
internal import Journal
public import Support

/// The reason why PostgreSQL did not execute a statement, or cannot be reached.
public struct PostgresError: DescribedError, Equatable, Sendable {
    /// The kind of the failure. The reaction of the caller depends on it.
    public enum Kind: Equatable, Sendable {
        /// There is no connection, or it was lost. After a loss it is unknown whether the statements without
        /// a result were executed.
        case disconnected
        /// The server refused the statement with this error code (SQLSTATE). The transaction of the statement was rolled back.
        case refused(sqlState: String)
        /// A precondition of gamed does not hold, for example the schema's version.
        case unsuitable
    }

    public let kind: Kind
    /// A message for people. It contains no statement, no client's data and no password.
    public let why: String

    package init(_ kind: Kind, _ why: String) { (self.kind, self.why) = (kind, why) }

    /// The failure of a statement. The detail of the error is left out, because it may contain data.
    init(_ result: OpaquePointer?) {
        let message = postgres_primary_message(result).map { Self.line(String(cString: $0)) }
        if let state = postgres_sqlstate(result) {
            let state = String(cString: state)
            self.init(.refused(sqlState: state), "\(message ?? "no message") (SQLSTATE \(state))")
        } else {
            self.init(.disconnected, message ?? "the connection was lost")
        }
    }

    /// The most recent failure of a connection, on one line.
    init(connection: OpaquePointer?) {
        let text = connection.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
        let line = Self.line(text)
        self.init(.disconnected, line.isEmpty ? "the connection was lost" : line)
    }

    /// A text of libpq or of the server on one line. A semicolon separates the lines, and each run of blanks and tabs is one
    /// blank. libpq indents the lines that explain the first one by a tab.
    package static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
            .filter { !$0.isEmpty }.joined(separator: "; ")
    }

    /// Why a connection was not made. A mistake that only an operator can correct is `unsuitable`.
    init(connecting connection: OpaquePointer?) {
        let error = PostgresError(connection: connection)
        // libpq reports no SQLSTATE here, and the text of the server is in the language of its configuration. An error whose
        // text is not recognized counts as `disconnected`, so that the connection is tried again.
        let mistakes: [(text: String, remedy: String)] = [
            ("no password supplied", "give it in --store-password-file, PGPASSFILE or ~/.pgpass"),
            (
                "password authentication failed",
                "correct the user in the URL or the password in --store-password-file, PGPASSFILE "
                    + "or ~/.pgpass"
            ),
            ("authentication failed", "correct the user in the URL, or the server's pg_hba.conf"),
            ("no pg_hba.conf entry", "allow this machine in the server's pg_hba.conf"),
            ("does not exist", "create it, or correct the URL"),
        ]
        // The socket is missing until the server has started. The connection is then tried again, whatever else the text says.
        let isMissingSocket = error.why.contains("No such file or directory")
        guard PQconnectionNeedsPassword(connection) == 0 else {
            self.init(.unsuitable, "\(error.why): \(mistakes[0].remedy)")
            return
        }
        guard !isMissingSocket,
            let mistake = mistakes.first(where: { error.why.contains($0.text) })
        else {
            self = error
            return
        }
        self.init(.unsuitable, "\(error.why): \(mistake.remedy)")
    }

    package static let timedOut = PostgresError(.disconnected, "the server does not answer")

    public var isDisconnect: Bool { kind == .disconnected }

    /// The SQLSTATE with which the server refused the statement; nil for other failures.
    public var sqlState: String? {
        if case .refused(let state) = kind { state } else { nil }
    }

    /// SQLSTATEs to which gamed reacts.
    package enum SQLState {
        package static let lockNotAvailable = "55P03"
        static let insufficientPrivilege = "42501"
        static let diskFull = "53100"
    }

    var storeError: StoreError {
        StoreError(sqlState == SQLState.diskFull ? .full : .other, why: why)
    }
}
