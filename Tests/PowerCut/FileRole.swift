internal import CSQLite

/// The purpose for which SQLite uses a file.
package enum FileRole: Sendable {
    case database, log, other

    /// `flags` are the flags that SQLite passes to `xOpen` of a VFS.
    init(_ flags: Int32) {
        switch true {
        case flags & SQLITE_OPEN_MAIN_DB != 0: self = .database
        case flags & SQLITE_OPEN_WAL != 0: self = .log
        default: self = .other
        }
    }
}
