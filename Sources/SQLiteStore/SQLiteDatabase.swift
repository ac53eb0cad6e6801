internal import CSQLite
public import Journal
public import Support

/// A connection to a database file, for use on one thread. The connection is closed when this object is released.
final class SQLiteDatabase {
    let handle: OpaquePointer

    /// Opens a file. If it is missing, creates it if `creates` is true, and throws otherwise. `vfs` is the name of the virtual
    /// file system that SQLite uses, for tests; nil for the default.
    convenience init(_ path: String, creates: Bool, vfs: String? = nil) throws(SQLiteError) {
        try self.init(
            path, SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0), vfs)
    }

    /// Opens a file that no process writes meanwhile, for example on a read-only medium. No lock is taken, no file is created
    /// beside it, and a log beside it is not read.
    convenience init(immutable path: String, vfs: String? = nil) throws(SQLiteError) {
        try self.init(
            Self.uri(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, vfs)
    }

    /// Wraps `sqlite3_open_v2`. `pathOrURI` is a URI if the flags contain `SQLITE_OPEN_URI`.
    private init(_ pathOrURI: String, _ flags: Int32, _ vfs: String?) throws(SQLiteError) {
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(pathOrURI, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard result == SQLITE_OK, let handle else {
            let error = handle.map { SQLiteError($0) } ?? SQLiteError(code: result, "out of memory")
            sqlite3_close(handle)
            throw error
        }
        self.handle = handle
        let isEnabled: Int32 = 1
        sqlite3_extended_result_codes(handle, isEnabled)
    }

    /// The file's URI: the path with the bytes escaped that are not allowed or have a meaning in a URI.
    private static func uri(_ path: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
                uri += "%" + String(byte, radix: 16)
            default: uri.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return uri
    }

    deinit { sqlite3_close(handle) }

    /// Leaves the write-ahead log unchanged when the file is closed. Otherwise SQLite would move the log into the file.
    func keepLog() { _ = sqlite_keep_log(handle) }

    /// Executes statements that return no rows.
    func run(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw SQLiteError(handle)
        }
    }

    /// The single value that a statement returns, as text. The statement is executed to its end, because it may still fail
    /// after it has returned the value. For example, a change of the journal mode first returns the new mode, and then writes.
    func value(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try SQLiteStatement(sql, in: self)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let value = statement.text(0)
        while try statement.step() {}
        return value
    }

    /// Executes `work` as one transaction: all of its changes are stored, or none.
    func transaction(_ work: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try work()
            try run("COMMIT")
        } catch {
            // If the failure has already ended the transaction, this fails without consequences.
            try? run("ROLLBACK")
            throw error
        }
    }
}

/// An error that SQLite reported.
public struct SQLiteError: DescribedError, Equatable, Sendable {
    /// SQLite's extended result code.
    public let code: Int32
    public let message: String

    /// The error of the latest call with a connection.
    init(_ database: OpaquePointer?) {
        code = sqlite3_extended_errcode(database)
        message = String(cString: sqlite3_errmsg(database))
    }

    /// An error that SQLite did not report.
    init(_ message: String) { self.init(code: SQLITE_ERROR, message) }

    package init(code: Int32, _ message: String) {
        (self.code, self.message) = (code, message)
    }

    /// An error with SQLite's own text for the code.
    init(_ code: Int32) { self.init(code: code, String(cString: sqlite3_errstr(code))) }

    /// The result code without the details that the extended code adds.
    fileprivate var primaryCode: Int32 { code & 0xFF }

    /// Whether the disk is full.
    public var isFull: Bool { primaryCode == SQLITE_FULL }
    /// Whether the file is in use: another process has the file open, or an operation is running that allows no other
    /// operation.
    public var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }
    /// Whether the file is not a valid SQLite database.
    public var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// The message, with the result code unless that only says that there was an error.
    public var why: String { code == SQLITE_ERROR ? message : "\(message) (SQLite \(code))" }
}

extension StoreError {
    /// Converts an error of SQLite. `why` is SQLite's message.
    init(_ error: SQLiteError) { self.init(error.kind, why: error.why) }

    /// Converts an error of SQLite from opening or reading a journal. `why` is a sentence for the user.
    public init(forUser error: SQLiteError) { self.init(error.kind, why: error.reasonForUser) }
}

extension SQLiteError {
    fileprivate var kind: StoreError.Kind {
        if isFull { return .full }
        if isBusy { return .busy }
        return isDamage ? .damaged : .other
    }

    /// Why a journal cannot be opened or read, as a sentence for the user.
    fileprivate var reasonForUser: String {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: "another gamed or gamectl is using it"
        case SQLITE_CANTOPEN: "it cannot be opened: \(message)"
        case SQLITE_NOTADB: "the file is not a journal"
        default: why
        }
    }
}
