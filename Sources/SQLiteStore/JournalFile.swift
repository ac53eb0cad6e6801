internal import CSQLite
internal import Glibc
public import Journal
internal import Sessions

/// The database of the journal: SQLite with a write-ahead log, in which each commit is durable
/// before it returns.
///
/// Use it on one thread and in one process: a second process is refused. Its calls block on the
/// disk.
public final class JournalFile {
    public static let name = "journal.db"
    /// The version of the row format that this code writes.
    public static let newestVersion = "2"
    /// The version of journals whose rows are JSON. They can be read unchanged, and are converted
    /// before they are written.
    static let firstVersion = "1"

    let database: SQLiteDatabase
    public let path: String
    /// The version of the row format when the file was opened.
    public let version: String
    private let insert: SQLiteStatement

    /// Opens the journal of a directory, and creates it if it is missing. Afterwards the directory
    /// entry is durable too, because otherwise a power failure could remove the whole file. A
    /// journal of an earlier version is converted; `converting` is then called with the
    /// position that was reached, and the newest position.
    public convenience init(
        _ directory: String, converting: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        try self.init(directory, vfs: nil, disk: PlainDisk(), converting: converting)
    }

    /// Opens the journal of a directory with other disk operations, for tests. `vfs` is the name of an SQLite VFS, and `disk`
    /// performs the operations that SQLite does not perform.
    package convenience init(
        _ directory: String, vfs: String?, disk: any JournalDisk,
        converting: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let path = "\(directory)/\(Self.name)"
        if !disk.exists(path) { try Self.create(path, in: directory, vfs, disk) }
        try disk.dropCachedPages(of: "\(path)-wal")
        try self.init(path: path, creates: true, vfs: vfs)
        try disk.syncDirectory(directory)
        // Moves the log of an earlier process into the file, so that its rows are durable before any
        // client can see them. Incomplete writes are removed, so that they cannot reappear later.
        try checkpoint()
        if version == Self.firstVersion { try migrate(converting) }
    }

    /// Creates a journal under a temporary name, and renames it when it is durable. A file whose
    /// creation was interrupted is not a journal, and is created again.
    private static func create(
        _ path: String, in directory: String, _ vfs: String?, _ disk: any JournalDisk
    ) throws(SQLiteError) {
        let new = "\(path).new"
        // The temporary name is removed durably before any change is acknowledged. If it still exists, no client has seen the
        // rows in the log, so the log can be removed.
        guard !disk.exists("\(path)-wal") || disk.exists(new) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "the file is missing, but its log exists")
        }
        if disk.exists("\(path)-wal") {
            try disk.remove("\(path)-wal")
            try disk.syncDirectory(directory)
        }
        for suffix in ["", "-wal", "-journal"] { try disk.remove(new + suffix) }
        do {
            let file = try JournalFile(path: new, creates: true, vfs: vfs)
            try file.checkpoint()
        }
        try disk.sync(new)
        try disk.syncDirectory(directory)
        try disk.rename(new, to: path)
        try disk.syncDirectory(directory)
    }

    /// Reopens a directory's journal after a commit has failed. `last` is the position of the newest durable
    /// row, which must be unchanged. The rows after it are removed: they may come from the failed
    /// commit.
    convenience init(reopening directory: String, keeping last: JournalPosition) throws(SQLiteError)
    {
        guard access("\(directory)/\(Self.name)", F_OK) == 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "the file is gone")
        }
        try self.init(directory)
        let found = try last == .start ? last : row(at: last.position)?.journalPosition
        guard found == last else {
            throw SQLiteError(
                code: SQLITE_CORRUPT, "it is another journal: row \(last.position) is missing")
        }
        try removeRows(after: last.position)
    }

    /// Creates a file that does not exist yet, for a copy of a journal.
    convenience init(new path: String) throws(SQLiteError) {
        try self.init(path: path, creates: true, vfs: nil)
    }

    /// Opens an existing file, for example a backup.
    public convenience init(existing path: String) throws(SQLiteError) {
        try self.init(existing: path, vfs: nil)
    }

    /// Opens an existing file with the SQLite VFS of that name.
    package convenience init(existing path: String, vfs: String?) throws(SQLiteError) {
        try self.init(path: path, creates: false, vfs: vfs)
    }

    private convenience init(path: String, creates: Bool, vfs: String?) throws(SQLiteError) {
        let database = try SQLiteDatabase(path, creates: creates, vfs: vfs)
        try Self.applySettings(database)
        if creates { try database.run(Self.schema) }
        try self.init(database, path)
    }

    /// Uses a file that is already open.
    init(_ database: SQLiteDatabase, _ path: String) throws(SQLiteError) {
        (self.database, self.path) = (database, path)
        insert = try SQLiteStatement(
            "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: database)
        version = try Self.note("schema", in: database) ?? ""
        guard [Self.firstVersion, Self.newestVersion].contains(version) else {
            throw SQLiteError(
                code: SQLITE_ERROR, "the journal is of another version: \(version.prefix(20))")
        }
    }

    private static let schema = """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS row (
            position INTEGER PRIMARY KEY, kind INTEGER NOT NULL, session TEXT NOT NULL,
            seq INTEGER NOT NULL, at INTEGER NOT NULL, previous INTEGER NOT NULL,
            previous_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL,
            id TEXT, id_number INTEGER, body BLOB NOT NULL);
        CREATE INDEX IF NOT EXISTS row_by_session ON row (session, seq, position, kind);
        CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT OR IGNORE INTO fact VALUES ('schema', '\(newestVersion)');
        COMMIT
        """

    /// Applies the settings, and reads each one back, because SQLite ignores unknown settings
    /// silently. Exclusive locking is set before the log is used, which then needs no shared
    /// memory. SQLite makes no checkpoints by itself; the journal's writer makes them.
    private static func applySettings(_ database: SQLiteDatabase) throws(SQLiteError) {
        // This must be the first statement; otherwise SQLite would use shared memory.
        _ = try database.value("PRAGMA locking_mode=EXCLUSIVE")
        // This setting matters only in a new file. In an existing file it would be written again, to
        // a log that was not verified.
        if try database.value("PRAGMA page_count") == "0" {
            try database.run("PRAGMA auto_vacuum=INCREMENTAL")
        }
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

    // MARK: writing

    /// Adds rows, all or none. They are durable when it returns.
    public func append(_ rows: [JournalRow]) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            for row in rows { try add(row) }
        }
    }

    func add(_ row: JournalRow) throws(SQLiteError) {
        defer { insert.reset() }
        try insert.bind(1, row.position)
        try insert.bind(2, row.kind.rawValue)
        try insert.bind(3, row.session)
        try insert.bind(4, row.seq)
        try insert.bind(5, row.atNs)
        try insert.bind(6, row.previous.position)
        try insert.bind(7, Int(row.previous.checksum))
        try insert.bind(8, Int(row.checksum))
        try insert.bind(9, row.id?.text)
        try insert.bind(10, row.id?.number)
        try insert.bind(11, row.body)
        _ = try insert.step()
    }

    /// Removes the rows after a position, which a failed commit may have written.
    public func removeRows(after position: Int) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement(
                "DELETE FROM row WHERE position > ?", in: database)
            try statement.bind(1, position)
            _ = try statement.step()
        }
    }

    // MARK: notes

    /// The value of the note with that name; nil if there is none.
    public func note(_ name: String) throws(SQLiteError) -> String? {
        try Self.note(name, in: database)
    }

    private static func note(_ name: String, in database: SQLiteDatabase) throws(SQLiteError)
        -> String?
    {
        let statement = try SQLiteStatement("SELECT value FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Removes the note of that name; durable when it returns.
    public func removeNote(_ name: String) throws(SQLiteError) {
        let statement = try SQLiteStatement("DELETE FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        _ = try statement.step()
    }

    /// Writes a note about the journal; durable when it returns.
    public func setNote(_ name: String, _ value: String) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            "INSERT OR REPLACE INTO fact VALUES (?, ?)", in: database)
        try statement.bind(1, name)
        try statement.bind(2, value)
        _ = try statement.step()
    }
}
