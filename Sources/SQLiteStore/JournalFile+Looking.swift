internal import CSQLite
internal import Glibc

/// Opens and inspects a journal without changing it.
extension JournalFile {
    /// Opens a file for reading only: neither the file nor the log beside it is changed. It is
    /// refused if another process has the file open.
    public convenience init(reading path: String) throws(SQLiteError) {
        do throws(SQLiteError) {
            let database = try Self.look(path)
            let tables = try database.value(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('row', 'fact')")
            guard tables == "2" else { throw SQLiteError(SQLITE_NOTADB) }
            try self.init(database, path)
        } catch {
            guard !error.isBusy, !error.isDamage, !Self.mayWrite(path) else { throw error }
            throw SQLiteError(
                code: SQLITE_CANTOPEN, "it has a log beside it, for which one must be its owner")
        }
    }

    private static func look(_ path: String) throws(SQLiteError) -> SQLiteDatabase {
        let log = bytes(of: "\(path)-wal")
        if log == nil, !mayWrite(path) { return try SQLiteDatabase(immutable: path) }
        let database = try SQLiteDatabase(path, creates: false)
        _ = try database.value("PRAGMA locking_mode=EXCLUSIVE")
        try database.run("PRAGMA trusted_schema=OFF")
        // A log that a killed daemon has left is kept for its next start. An empty one is removed.
        if let log, log > 0 { database.keepLog() }
        return database
    }

    /// Whether SQLite could lock a file, and create its log beside it.
    private static func mayWrite(_ path: String) -> Bool {
        access(path, W_OK) == 0 && access(directory(of: path), W_OK) == 0
    }

    /// The directory that a file is in.
    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    private static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The size in bytes, including the log.
    public var bytes: Int { (Self.bytes(of: path) ?? 0) + logBytes }

    /// The faults that SQLite finds in the file; empty if there is none.
    public func quickCheck() throws(SQLiteError) -> [String] {
        let statement = try SQLiteStatement("PRAGMA quick_check", in: database)
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0)) }
        return found == ["ok"] ? [] : found
    }
}
