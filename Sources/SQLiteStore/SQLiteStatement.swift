internal import CSQLite

/// A prepared statement: bind the parameters, call `step` for each row, and read the row's columns. To execute the statement
/// again, call `reset` first.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    init(_ sql: String, in database: SQLiteDatabase) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let wholeText: Int32 = -1
        guard
            sqlite3_prepare_v3(database.handle, sql, wholeText, flags, &handle, nil) == SQLITE_OK,
            let handle
        else { throw SQLiteError(database.handle) }
        (self.handle, self.database) = (handle, database)
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: parameters, counted from 1; nil binds NULL

    func bind(_ index: Int32, _ number: Int64?) throws(SQLiteError) {
        try check(
            number.map { sqlite3_bind_int64(handle, index, $0) }
                ?? sqlite3_bind_null(handle, index))
    }

    func bind(_ index: Int32, _ number: Int?) throws(SQLiteError) {
        try bind(index, number.map { Int64($0) })
    }

    func bind(_ index: Int32, _ text: String?) throws(SQLiteError) {
        guard var text else { return try check(sqlite3_bind_null(handle, index)) }
        try check(
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    sqlite_bind_string(handle, index, $0.baseAddress, Int32($0.count))
                }
            })
    }

    func bind(_ index: Int32, _ bytes: [UInt8]) throws(SQLiteError) {
        try check(
            bytes.withUnsafeBytes {
                sqlite_bind_bytes(handle, index, $0.baseAddress, Int32($0.count))
            })
    }

    /// Throws if a call of SQLite did not return `SQLITE_OK`.
    private func check(_ result: Int32) throws(SQLiteError) {
        guard result == SQLITE_OK else { throw SQLiteError(database.handle) }
    }

    // MARK: running

    /// Advances to the next row; false if there is none.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw SQLiteError(database.handle)
        }
    }

    /// Ends the execution, so that the statement can be executed again. The parameters keep their values.
    func reset() { sqlite3_reset(handle) }

    // MARK: columns of the present row, counted from 0; NULL is read as 0, or as an empty text or array

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func int(_ column: Int32) -> Int { Int(int64(column)) }

    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        return Array(
            UnsafeRawBufferPointer(
                start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
