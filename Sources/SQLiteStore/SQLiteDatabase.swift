internal import CSQLite

/// One connection to a database file, for one thread. Closed when it is let go of.
final class SQLiteDatabase {
    let handle: OpaquePointer

    /// Opens a file, and makes it where there is none, if it may. `vfs` is the name of another way to the disk,
    /// for tests.
    convenience init(_ path: String, creates: Bool, vfs: String? = nil) throws(SQLiteError) {
        try self.init(
            path, SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0), vfs)
    }

    /// Opens a file that nobody writes, on a medium that cannot be written either: nothing is locked, and
    /// nothing made beside it.
    convenience init(immutable path: String) throws(SQLiteError) {
        try self.init(
            Self.uri(path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    }

    /// Wraps `sqlite3_open_v2`.
    private init(_ name: String, _ flags: Int32, _ vfs: String?) throws(SQLiteError) {
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX, vfs)
        guard result == SQLITE_OK, let handle else {
            let error = handle.map { SQLiteError($0) } ?? SQLiteError(code: result, "out of memory")
            sqlite3_close(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
    }

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

    /// Lets the log be as it is when the file is closed.
    func keepLog() { _ = sqlite_keep_log(handle) }

    /// Runs statements that give no rows.
    func run(_ sql: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw SQLiteError(handle)
        }
    }

    /// The one value that a statement gives, as text. The statement is run to its end, for there it may
    /// still fail: a change of the journal mode does its writing after it has told the new mode.
    func value(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try SQLiteStatement(sql, in: self)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let value = statement.text(0)
        while try statement.step() {}
        return value
    }

    /// Does several things as one: all of it is there afterwards, or nothing.
    func transaction(_ work: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        try run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            try work()
            try run("COMMIT")
        } catch {
            // Where the failure has ended the transaction already, this says so, and nobody minds.
            try? run("ROLLBACK")
            throw error
        }
    }
}
