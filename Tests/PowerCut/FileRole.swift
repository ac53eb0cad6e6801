internal import CSQLite

/// The purpose for which SQLite uses a file.
package enum FileRole: Sendable {
    case database, log, other

    /// `flags` are those of `sqlite3_open_v2`.
    init(_ flags: Int32) {
        switch true {
        case flags & SQLITE_OPEN_MAIN_DB != 0: self = .database
        case flags & SQLITE_OPEN_WAL != 0: self = .log
        default: self = .other
        }
    }
}
