internal import CSQLite
internal import Glibc
public import Journal
internal import Sessions

/// The journal's database: SQLite with a write-ahead log, of which each commit is on the disk before it is
/// said to be there.
///
/// It belongs to one thread, and one process: a second one is refused. What it waits for is the disk.
public final class JournalFile {
    public static let name = "journal.db"
    /// What the rows look like; another number is another version's.
    public static let newestVersion = "2"
    /// That of journals whose rows are JSON. They are read as they are, and converted before they are written.
    static let firstVersion = "1"

    let database: SQLiteDatabase
    public let path: String
    /// The number of what the rows looked like when it was opened.
    public let version: String
    private let insert: SQLiteStatement

    /// Opens a directory's journal, and makes it where there is none. After that the directory is on the
    /// disk, too: else a power cut could take away the whole file. One of an earlier version is converted;
    /// `converting` is told how far that has got, in positions.
    public convenience init(
        _ directory: String, converting: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        try self.init(directory, vfs: nil, disk: PlainDisk(), converting: converting)
    }

    /// The same by another way to the disk: the name of an SQLite VFS, and what else is done there.
    package convenience init(
        _ directory: String, vfs: String?, disk: any JournalDisk,
        converting: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let path = "\(directory)/\(Self.name)"
        if !disk.isThere(path) { try Self.make(path, in: directory, vfs, disk) }
        try disk.forget("\(path)-wal")
        try self.init(path: path, creates: true, vfs: vfs)
        try disk.syncDirectory(directory)
        // What an earlier process left in the log is now in the file, and so on the disk, before
        // anybody is told of it; and what it left half done is gone: none of that can be there
        // again some day.
        try checkpoint()
        if version == Self.firstVersion { try migrate(converting) }
    }

    /// Makes a journal under another name, and gives it its own when all of it is on the disk: what is cut off
    /// in the making is no journal, and is made anew.
    private static func make(
        _ path: String, in directory: String, _ vfs: String?, _ disk: any JournalDisk
    ) throws(SQLiteError) {
        let new = "\(path).new"
        // The other name goes for good before anything is acknowledged: where it is there, the log is one
        // of which nobody knows.
        guard !disk.isThere("\(path)-wal") || disk.isThere(new) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "its log is there, and the file is gone")
        }
        if disk.isThere("\(path)-wal") {
            try disk.remove("\(path)-wal")
            try disk.syncDirectory(directory)
        }
        for end in ["", "-wal", "-journal"] { try disk.remove(new + end) }
        do {
            let file = try JournalFile(path: new, creates: true, vfs: vfs)
            try file.checkpoint()
        }
        try disk.sync(new)
        try disk.syncDirectory(directory)
        try disk.rename(new, to: path)
        try disk.syncDirectory(directory)
    }

    /// Opens a directory's journal again after a commit has failed, with what is known of it: it must be the one
    /// that it was. Rows behind `last` are removed: they may be what has failed.
    convenience init(again directory: String, keeping last: JournalPosition) throws(SQLiteError) {
        guard access("\(directory)/\(Self.name)", F_OK) == 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "the file is gone")
        }
        try self.init(directory)
        let found = try last == .start ? last : row(at: last.position)?.mark
        guard found == last else {
            throw SQLiteError(
                code: SQLITE_CORRUPT, "it is another journal: row \(last.position) is not there")
        }
        try removeRows(after: last.position)
    }

    /// Opens a file that is there, a backup for one.
    public convenience init(existing path: String) throws(SQLiteError) {
        try self.init(existing: path, vfs: nil)
    }

    /// The same by the SQLite VFS of that name.
    package convenience init(existing path: String, vfs: String?) throws(SQLiteError) {
        try self.init(path: path, creates: false, vfs: vfs)
    }

    private convenience init(path: String, creates: Bool, vfs: String?) throws(SQLiteError) {
        let database = try SQLiteDatabase(path, creates: creates, vfs: vfs)
        try Self.settle(database)
        if creates { try database.run(Self.schema) }
        try self.init(database, path)
    }

    /// A file that is open already.
    init(_ database: SQLiteDatabase, _ path: String) throws(SQLiteError) {
        (self.database, self.path) = (database, path)
        insert = try SQLiteStatement(
            "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: database)
        version = try Self.fact("schema", in: database) ?? ""
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

    /// The settings, each read back: SQLite passes over in silence what it does not know. Locking comes
    /// before the log, which then needs no shared memory; checkpoints are made when there is time.
    private static func settle(_ database: SQLiteDatabase) throws(SQLiteError) {
        // Before anything else, lest memory is shared.
        _ = try database.value("PRAGMA locking_mode=EXCLUSIVE")
        // Only in a new file does it matter; in another it would be written down once more, into a
        // log that was not looked at.
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

    /// Adds rows, all or none. When it returns they are on the disk.
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

    /// Removes what stands behind a position: what a commit that failed may have left all the same.
    public func removeRows(after position: Int) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement(
                "DELETE FROM row WHERE position > ?", in: database)
            try statement.bind(1, position)
            _ = try statement.step()
        }
    }

    // MARK: facts

    /// What was noted of the journal as a whole under a name.
    public func fact(_ name: String) throws(SQLiteError) -> String? {
        try Self.fact(name, in: database)
    }

    private static func fact(_ name: String, in database: SQLiteDatabase) throws(SQLiteError)
        -> String?
    {
        let statement = try SQLiteStatement("SELECT value FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Removes what was noted under a name; it is gone from the disk afterwards.
    public func forget(_ name: String) throws(SQLiteError) {
        let statement = try SQLiteStatement("DELETE FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        _ = try statement.step()
    }

    /// Notes something of the journal as a whole; it is on the disk afterwards.
    public func note(_ name: String, _ value: String) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            "INSERT OR REPLACE INTO fact VALUES (?, ?)", in: database)
        try statement.bind(1, name)
        try statement.bind(2, value)
        _ = try statement.step()
    }
}
