internal import CSQLite

/// SQLite's check of a whole database, including the indexes. A test that only reads the rows does not check the indexes.
enum IntegrityCheck {
    /// The result of `PRAGMA integrity_check`; nil if the result is "ok".
    static func errorMessage(_ path: String, _ vfs: String) -> String? {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, vfs) == SQLITE_OK else {
            return "the database does not open"
        }
        sqlite3_exec(database, "PRAGMA locking_mode=EXCLUSIVE", nil, nil, nil)
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, nil)
        guard sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { return String(cString: sqlite3_errmsg(database)) }
        let found = String(cString: text)
        return found == "ok" ? nil : found
    }
}
