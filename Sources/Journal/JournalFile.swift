internal import CSQLite
internal import Glibc

/// The journal's database, in a directory of its own: SQLite with a write-ahead log, of which each
/// commit is on the disk before it is said to be there.
///
/// It belongs to one thread, and one process: a second one is refused. What it waits for is the disk.
public final class JournalFile {
    public static let name = "journal.db"

    private let database: SQLiteDatabase
    private let insert: SQLiteStatement

    /// Opens a directory's journal, and makes it where there is none. After that the directory is on the
    /// disk, too: else a power cut could take away the whole file.
    public init(_ directory: String, vfs: String? = nil) throws(SQLiteError) {
        database = try SQLiteDatabase("\(directory)/\(Self.name)", vfs: vfs)
        try Self.settle(database)
        try database.run(Self.schema)
        insert = try SQLiteStatement("INSERT INTO row VALUES (?, ?, ?, ?, ?, ?)", in: database)
        try Self.sync(directory)
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS row (
            position INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL,
            at INTEGER NOT NULL, checksum INTEGER NOT NULL, body BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS row_session ON row (session, seq);
        """

    /// The settings, each read back: SQLite passes over in silence what it does not know. Locking comes
    /// before the log, which then needs no shared memory; checkpoints are made when there is time.
    private static func settle(_ database: SQLiteDatabase) throws(SQLiteError) {
        let settings = [
            ("locking_mode", "EXCLUSIVE", "exclusive"), ("journal_mode", "WAL", "wal"),
            ("synchronous", "FULL", "2"), ("wal_autocheckpoint", "0", "0"),
            ("trusted_schema", "OFF", "0"),
        ]
        for (name, value, expected) in settings {
            _ = try database.value("PRAGMA \(name)=\(value)")
            let found = try database.value("PRAGMA \(name)")
            guard found == expected else {
                throw SQLiteError(code: SQLITE_ERROR, "\(name) is \(found ?? "nothing")")
            }
        }
    }

    /// Wraps `fsync(2)` of a directory.
    private static func sync(_ directory: String) throws(SQLiteError) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "fsync of \(directory): errno \(errno)")
        }
    }

    // MARK: writing

    /// Adds rows, all or none. When it returns they are on the disk.
    public func append(_ rows: [JournalRow]) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for row in rows { try add(row) }
        }
    }

    private func add(_ row: JournalRow) throws(SQLiteError) {
        defer { insert.reset() }
        try insert.bind(1, row.position)
        try insert.bind(2, row.session)
        try insert.bind(3, row.seq)
        try insert.bind(4, row.atNs)
        try insert.bind(5, Int64(row.checksum))
        try insert.bind(6, row.body)
        _ = try insert.step()
    }

    /// Removes what stands behind a position: what a commit that failed may have left all the same.
    public func removeRows(after position: Int64) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement(
                "DELETE FROM row WHERE position > ?", in: database)
            try statement.bind(1, position)
            _ = try statement.step()
        }
    }

    /// Moves the write-ahead log into the file; readers of the future have less to read.
    public func checkpoint() throws(SQLiteError) {
        let result = sqlite3_wal_checkpoint_v2(
            database.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(database.handle) }
    }

    // MARK: reading

    /// The position of the newest row; 0 where there is none.
    public func head() throws(SQLiteError) -> Int64 {
        Int64(try database.value("SELECT coalesce(max(position), 0) FROM row") ?? "") ?? 0
    }

    /// Hands out all rows behind a position, in order, for as long as `take` wants more.
    public func rows(after position: Int64 = 0, _ take: (JournalRow) -> Bool) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            """
            SELECT position, session, seq, at, body, checksum FROM row
            WHERE position > ? ORDER BY position
            """, in: database)
        try statement.bind(1, position)
        defer { statement.reset() }
        while try statement.step() {
            let row = JournalRow(
                read: statement.int(0), statement.text(1), statement.int(2), statement.int(3),
                statement.bytes(4), UInt32(truncatingIfNeeded: statement.int(5)))
            guard take(row) else { return }
        }
    }
}
