internal import CSQLite

/// What SQLite uses a file for.
package enum FileRole: Sendable {
    case database, log, other

    /// The role that a file is opened for; flags of `sqlite3_open_v2`.
    init(_ flags: Int32) {
        switch true {
        case flags & SQLITE_OPEN_MAIN_DB != 0: self = .database
        case flags & SQLITE_OPEN_WAL != 0: self = .log
        default: self = .other
        }
    }
}
