internal import CSQLite
public import Journal

/// An error that SQLite reported.
public struct SQLiteError: Error, Equatable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    public let code: Int32
    public let message: String

    init(_ database: OpaquePointer?) {
        code = sqlite3_extended_errcode(database)
        message = String(cString: sqlite3_errmsg(database))
    }

    package init(code: Int32, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    init(_ code: Int32) { self.init(code: code, String(cString: sqlite3_errstr(code))) }

    /// Whether the disk is full.
    public var isFull: Bool { code & 0xFF == SQLITE_FULL }
    /// Whether another process has the file open.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }
    /// Whether the file is not a valid SQLite database.
    public var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

    public var description: String { "\(message) (SQLite \(code))" }
}

extension StoreError {
    /// Converts an error of SQLite.
    init(_ error: SQLiteError) { self.init(error.kind, why: error.description) }

    /// Converts an error of SQLite from opening or reading a journal, with a sentence for the user.
    public init(opening error: SQLiteError) { self.init(error.kind, why: error.sentence) }
}

extension SQLiteError {
    fileprivate var kind: StoreError.Kind {
        if isFull { return .full }
        if isBusy { return .busy }
        return isDamage ? .damaged : .other
    }

    /// A sentence that says how to resolve the error, if that is known.
    fileprivate var sentence: String {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: "it is in use; another gamed or gamectl has it open"
        case SQLITE_CANTOPEN: "it cannot be opened: \(message)"
        case SQLITE_NOTADB: "the file is no journal"
        default: description
        }
    }
}
