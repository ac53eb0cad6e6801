internal import CSQLite
internal import Glibc
public import Journal
internal import Sessions

/// A journal in a SQLite database with a write-ahead log. Each write is durable when the call returns.
///
/// Use an object on one thread. While it exists, no other process can open the file. Its calls block on the disk: a running
/// daemon calls them only on the thread of its `JournalWriter`.
public final class JournalFile {
    /// The name of the file in the state directory.
    public static let name = "journal.db"
    /// The version of journals whose rows are JSON.
    static let firstVersion = "1"
    /// The versions of journals that can be opened. A journal of an older version is converted before it is written.
    static let knownVersions = [firstVersion] + RowFormat.allCases.map { "\($0.rawValue)" }
    /// The name of the note with the version of the row format.
    static let versionNote = "schema"

    let database: SQLiteDatabase
    public let path: String
    /// The version of the row format when the file was opened.
    public let version: String
    /// Adds a row; its parameters are the columns of the table `row`, in the order of `schema`.
    private let insertStatement: SQLiteStatement
    /// The position up to which the index of sessions has all rows (`JournalFile+Index.swift`).
    var indexedPosition: Int
    /// The rows after the indexed position; nil if they must be read from the file first.
    var tail: SessionTail?
    /// The filling of the index that is in progress; nil if none is.
    var filling: IndexFilling?

    /// Opens the journal of a state directory, and creates it if it is missing. The file's entry in the directory is made
    /// durable, because otherwise a power failure could remove the whole file. A journal of an earlier version is copied and
    /// converted (`JournalConversion`); `reportProgress` is called meanwhile, with how much is done and how much there is. Throws
    /// if the journal has version 1.
    public convenience init(
        _ directory: String,
        reportProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        try self.init(directory, vfs: nil, disk: PlainDisk(), reportProgress: reportProgress)
    }

    /// As the initialiser above, for programs that convert journals of version 1, and for tests that simulate a disk. `vfs` is the
    /// name of the virtual file system that SQLite uses; nil for the default. `disk` performs the file operations that SQLite does
    /// not perform.
    package convenience init(
        _ directory: String, vfs: String?, disk: any JournalDisk,
        _ version1Conversion: (any RowConversion.Type)? = nil,
        reportProgress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(SQLiteError) {
        let path = "\(directory)/\(Self.name)"
        if !disk.exists(path) { try Self.create(path, in: directory, vfs, disk) }
        // If an earlier process failed to sync the log, the pages in memory may differ from those on the disk.
        try disk.dropCachedPages(of: "\(path)-wal")
        let copied = try Self.newestRowOfCopy(path, vfs, disk)
        try self.init(path: path, creates: true, vfs: vfs)
        try checkLog(against: copied)
        let conversion = JournalConversion(of: self, in: directory, vfs, disk, version1Conversion)
        // Before anything is written.
        try conversion?.check()
        try disk.syncDirectory(directory)
        // Moves the log of an earlier process into the file. The log's rows are then durable before any client can see them.
        // Incomplete writes at the end of the log are removed, so that they cannot reappear later.
        try checkpoint()
        try conversion?.run(reportProgress)
        if try needsNewIndex() {
            try updateIndex()
            try checkpoint()
        }
    }

    /// The newest row of a copy of a journal, such as a backup, that was put in the place of the journal and has a log beside
    /// it. Nil if the file is not a copy, or if there is no log.
    private static func newestRowOfCopy(_ path: String, _ vfs: String?, _ disk: any JournalDisk)
        throws(SQLiteError) -> JournalPosition?
    {
        guard disk.exists("\(path)-wal") else { return nil }
        // Without the log. A file that cannot be read in this way, for example one whose pages are all in the log, is not a copy.
        guard let database = try? SQLiteDatabase(immutable: path, vfs: vfs),
            (try? note(JournalNote.tokens, in: database)) != nil
        else { return nil }
        return try newestPosition(in: database)
    }

    private static func newestPosition(in database: SQLiteDatabase) throws(SQLiteError)
        -> JournalPosition
    {
        let statement = try SQLiteStatement(
            "SELECT position, checksum FROM row ORDER BY position DESC LIMIT 1", in: database)
        guard try statement.step() else { return .start }
        return JournalPosition(
            position: Int(statement.int64(0)),
            checksum: UInt32(truncatingIfNeeded: statement.int64(1)))
    }

    /// Throws if the log beside a copy of a journal belongs to another file: the rows in the log would take the place of the
    /// rows of the copy. `copied` is the newest row of the copy without the log; nil if the file is not a copy.
    private func checkLog(against copied: JournalPosition?) throws(SQLiteError) {
        guard let copied, try Self.newestPosition(in: database) != copied else { return }
        database.keepLog()
        throw SQLiteError(
            code: SQLITE_CANTOPEN,
            "\(Self.name) is a backup, and \(Self.name)-wal beside it belongs to the journal that was there before: "
                + "move \(Self.name) out of the directory, and use `gamectl restore FILE DIR`")
    }

    /// Creates a journal under a temporary name, and renames it when it is durable. A file whose
    /// creation was interrupted is not a journal, and is created again.
    private static func create(
        _ path: String, in directory: String, _ vfs: String?, _ disk: any JournalDisk
    ) throws(SQLiteError) {
        let temporaryPath = "\(path).new"
        // The file is missing. A log beside it may contain acknowledged rows, and is then kept. If the temporary file exists,
        // the log contains none: rows are acknowledged only after the temporary file has been durably renamed.
        guard !disk.exists("\(path)-wal") || disk.exists(temporaryPath) else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "the file is missing, but its log exists")
        }
        if disk.exists("\(path)-wal") {
            try disk.remove("\(path)-wal")
            try disk.syncDirectory(directory)
        }
        // The file of an interrupted creation, and the files that SQLite made beside it.
        for suffix in PartFile.suffixes { try disk.remove(temporaryPath + suffix) }
        do {
            // The file is closed at the end of this block.
            let file = try JournalFile(path: temporaryPath, creates: true, vfs: vfs)
            try file.updateIndex()
            try file.checkpoint()
        }
        try disk.sync(temporaryPath)
        try disk.syncDirectory(directory)
        try disk.rename(temporaryPath, to: path)
        try disk.syncDirectory(directory)
    }

    /// Reopens a directory's journal after a commit has failed. `last` is the position of the newest durable row, which must be
    /// unchanged; `.start` if no row is durable. The rows after it are removed: they may come from the failed commit.
    convenience init(reopening directory: String, keeping last: JournalPosition) throws(SQLiteError)
    {
        // `init(directory)` would create a file that is missing.
        guard access("\(directory)/\(Self.name)", F_OK) == 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "the file is gone")
        }
        try self.init(directory)
        let storedPosition = try last == .start ? last : row(at: last.position)?.journalPosition
        guard storedPosition == last else {
            throw SQLiteError(
                code: SQLITE_CORRUPT, "it is another journal: row \(last.position) is missing")
        }
        try removeRows(after: last.position)
    }

    /// Makes an empty journal of a file that is missing or has no bytes, for a copy of a journal.
    convenience init(new path: String) throws(SQLiteError) {
        try self.init(path: path, creates: true, vfs: nil)
    }

    /// Opens an existing file, for example a backup.
    public convenience init(existing path: String) throws(SQLiteError) {
        try self.init(existing: path, vfs: nil)
    }

    /// Opens an existing file. `vfs` is the name of the virtual file system that SQLite uses; nil for the default.
    package convenience init(existing path: String, vfs: String?) throws(SQLiteError) {
        try self.init(path: path, creates: false, vfs: vfs)
    }

    private convenience init(path: String, creates: Bool, vfs: String?) throws(SQLiteError) {
        let database = try SQLiteDatabase(path, creates: creates, vfs: vfs)
        try Self.applySettings(database)
        if creates { try database.run(Self.schema) }
        try self.init(database, path)
    }

    /// Wraps an open database. Throws if its rows have an unknown version.
    init(_ database: SQLiteDatabase, _ path: String) throws(SQLiteError) {
        (self.database, self.path) = (database, path)
        insertStatement = try SQLiteStatement(
            "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", in: database)
        version = try Self.note(Self.versionNote, in: database) ?? ""
        guard Self.knownVersions.contains(version) else {
            throw Self.unknownVersionError(version, path)
        }
        indexedPosition = try Self.openIndex(database)
    }

    /// The error for a journal of a version that this gamed does not know. A number above the newest version is the work of a
    /// newer gamed, which may have kept a copy of the journal as it was before.
    private static func unknownVersionError(_ version: String, _ path: String) -> SQLiteError {
        guard let number = UInt64(version), number > UInt64(RowFormat.newest.rawValue) else {
            return SQLiteError("the journal is of another version: \(version.prefix(20))")
        }
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let copies = knownVersions.map { copyPath(of: $0, in: directory) }
        let wayBack = copies.last(where: PlainDisk().exists).map {
            ", or `gamectl restore \($0) \(directory)`, which restores the copy from before the conversion"
        }
        return SQLiteError(
            "the journal has version \(number), and this gamed reads versions up to \(RowFormat.newestVersion): "
                + "use a newer gamed\(wayBack ?? "")")
    }

    /// Creates the tables, if they are missing; `updateIndex` creates the index. The columns of `row` are the properties of
    /// `JournalRow`: `previous` and `previous_checksum` belong to the session's preceding row, and `id` and `id_number` to the
    /// request that caused the row. The table `fact` has the notes about the journal.
    private static let schema = """
        BEGIN IMMEDIATE;
        CREATE TABLE IF NOT EXISTS row (
            position INTEGER PRIMARY KEY, kind INTEGER NOT NULL, session TEXT NOT NULL,
            seq INTEGER NOT NULL, at INTEGER NOT NULL, previous INTEGER NOT NULL,
            previous_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL,
            id TEXT, id_number INTEGER, body BLOB NOT NULL);
        CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
        INSERT OR IGNORE INTO fact VALUES ('\(versionNote)', '\(RowFormat.newestVersion)');
        COMMIT
        """

    /// Applies SQLite's settings, and reads each setting back, because SQLite ignores unknown settings silently. With
    /// `wal_autocheckpoint` 0, SQLite does not move the log into the file by itself; `JournalWorker` calls `checkpoint`
    /// instead.
    private static func applySettings(_ database: SQLiteDatabase) throws(SQLiteError) {
        // This must be the first statement. SQLite then keeps the index of the log in its own memory. If SQLite used the log
        // before this statement, it would keep the index in a file (`-shm`) that it shares with other processes.
        _ = try database.value("PRAGMA locking_mode=EXCLUSIVE")
        // Only a new file, which has no pages, needs this setting. In an existing file, the statement would write to the log of
        // an earlier process before that log has been moved into the file.
        if try database.value("PRAGMA page_count") == "0" {
            try database.run("PRAGMA auto_vacuum=INCREMENTAL")
        }
        // The values as they are set, and as SQLite returns them.
        let settings: [(name: String, value: String, expected: String)] = [
            ("locking_mode", "EXCLUSIVE", "exclusive"), ("journal_mode", "WAL", "wal"),
            ("synchronous", "FULL", "2"), ("wal_autocheckpoint", "0", "0"),
            ("trusted_schema", "OFF", "0"),
        ]
        for (name, value, expected) in settings {
            _ = try database.value("PRAGMA \(name)=\(value)")
            let actual = try database.value("PRAGMA \(name)")
            guard actual == expected else {
                throw SQLiteError(
                    "SQLite's setting \(name) is \(actual ?? "missing"), not \(expected)")
            }
        }
    }

    // MARK: writing

    /// Adds rows, all or none.
    public func append(_ rows: [JournalRow]) throws(SQLiteError) {
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                for row in rows { try add(row) }
            }
        } catch {
            forgetTail()
            throw error
        }
        addToTail(rows)
    }

    /// Adds a row within the transaction in progress. The caller then adds it to the tail, or lets the tail be read again.
    func add(_ row: JournalRow) throws(SQLiteError) {
        defer { insertStatement.reset() }
        try insertStatement.bind(1, row.position)
        try insertStatement.bind(2, row.kind.rawValue)
        try insertStatement.bind(3, row.session)
        try insertStatement.bind(4, row.seq)
        try insertStatement.bind(5, row.atNs)
        try insertStatement.bind(6, row.previous.position)
        try insertStatement.bind(7, Int(row.previous.checksum))
        try insertStatement.bind(8, Int(row.checksum))
        try insertStatement.bind(9, row.id?.text)
        try insertStatement.bind(10, row.id?.number)
        try insertStatement.bind(11, row.body)
        _ = try insertStatement.step()
        try indexIfNotInTail(row)
    }

    /// Removes the rows after a position, which a failed commit may have written.
    public func removeRows(after position: Int) throws(SQLiteError) {
        forgetTail()
        let newIndexedPosition = min(position, indexedPosition)
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement(
                "DELETE FROM row WHERE position > ?", in: database)
            try statement.bind(1, position)
            _ = try statement.step()
            if newIndexedPosition < indexedPosition {
                try setNote(Self.indexedNote, String(newIndexedPosition))
            }
        }
        indexedPosition = newIndexedPosition
    }

    // MARK: notes: named values about the journal

    /// The value of a note; nil if there is no note of that name.
    public func note(_ name: String) throws(SQLiteError) -> String? {
        try Self.note(name, in: database)
    }

    static func note(_ name: String, in database: SQLiteDatabase) throws(SQLiteError)
        -> String?
    {
        let statement = try SQLiteStatement("SELECT value FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        return try statement.step() ? statement.text(0) : nil
    }

    /// Removes a note, if it exists.
    public func removeNote(_ name: String) throws(SQLiteError) {
        let statement = try SQLiteStatement("DELETE FROM fact WHERE name = ?", in: database)
        try statement.bind(1, name)
        _ = try statement.step()
    }

    /// Writes a note, in place of an earlier note of that name.
    public func setNote(_ name: String, _ value: String) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            "INSERT OR REPLACE INTO fact VALUES (?, ?)", in: database)
        try statement.bind(1, name)
        try statement.bind(2, value)
        _ = try statement.step()
    }
}
