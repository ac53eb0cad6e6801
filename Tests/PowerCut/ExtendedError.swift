internal import CSQLite

/// The extended error codes of SQLite that the simulated disk returns. Swift does not import their macros, `SQLITE_IOERR_…`.
enum ExtendedError {
    static let shortRead = SQLITE_IOERR | 2 << 8
    static let write = SQLITE_IOERR | 3 << 8
    static let sync = SQLITE_IOERR | 4 << 8
    static let syncDirectory = SQLITE_IOERR | 5 << 8
    static let truncate = SQLITE_IOERR | 6 << 8
    static let delete = SQLITE_IOERR | 10 << 8
    /// The file to delete does not exist.
    static let deleteNoEntry = SQLITE_IOERR | 23 << 8
}
