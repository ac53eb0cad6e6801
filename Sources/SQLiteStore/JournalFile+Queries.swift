internal import CSQLite
internal import Glibc
public import Journal
internal import Sessions

/// Reads rows by position and by session.
extension JournalFile {
    /// The columns that `row(_:)` reads, in this order.
    private static let columns =
        "position, kind, session, seq, at, previous, previous_checksum, checksum, id, id_number, body"

    /// The position of the newest row; 0 if there is none.
    public func newestPosition() throws(SQLiteError) -> Int {
        Int(try database.value("SELECT coalesce(max(position), 0) FROM row") ?? "") ?? 0
    }

    /// The number of rows.
    public func count() throws(SQLiteError) -> Int {
        Int(try database.value("SELECT count(*) FROM row") ?? "") ?? 0
    }

    /// Passes the rows after a position to `handleRow`, in order, until `handleRow` returns false.
    public func rows(
        after position: Int = 0, _ handleRow: (JournalRow) -> Bool
    ) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            "SELECT \(Self.columns) FROM row WHERE position > ? ORDER BY position", in: database)
        try statement.bind(1, position)
        while try statement.step() {
            guard handleRow(Self.row(statement)) else { return }
        }
    }

    /// The next rows after a position, at most `limit`.
    public func rows(after position: Int, limit: Int) throws(SQLiteError) -> [JournalRow] {
        var found: [JournalRow] = []
        guard limit > 0 else { return found }
        try rows(after: position) { row in
            found.append(row)
            return found.count < limit
        }
        return found
    }

    /// For each of these sessions: the newest row with the session's state, and the position of the session's newest row of any
    /// kind. A session that has no row with its state is left out.
    public func newest(of sessions: [String]) throws(SQLiteError) -> [NewestRow] {
        let tail = try readTail()
        let indexStatement = try SQLiteStatement(
            """
            SELECT max(position), max(CASE WHEN kind <> ? THEN position END) FROM session_row
            WHERE session = ? AND position <= ?
            """, in: database)
        let rowStatement = try rowByPosition()
        var found: [NewestRow] = []
        for session in sessions {
            guard
                let (newest, newestState) = try newestPositions(session, tail, by: indexStatement),
                let newestRow = try row(at: newest, by: rowStatement),
                let stateRow = try row(at: newestState, by: rowStatement)
            else { continue }
            found.append(NewestRow(stateRow, newestPosition: newestRow.journalPosition))
        }
        return found
    }

    /// The positions of a session's newest row and of its newest row with the session's state; nil if there is no such row.
    /// `statement` selects both positions from the index.
    private func newestPositions(
        _ session: String, _ tail: SessionTail, by statement: SQLiteStatement
    ) throws(SQLiteError) -> (newest: Int, newestState: Int)? {
        // Only the rows of refusals have no state.
        let refusal = SessionRecord.Kind.refusal.rawValue
        let entries = tail.entries(of: session)
        if let newest = entries.last, let state = entries.last(where: { $0.kind != refusal }) {
            return (newest.position, state.position)
        }
        defer { statement.reset() }
        try statement.bind(1, refusal)
        try statement.bind(2, session)
        try statement.bind(3, indexedPosition)
        guard try statement.step(), !statement.isNull(1) else { return nil }
        return (entries.last?.position ?? statement.int(0), statement.int(1))
    }

    /// Returns a page of a session's rows, in one call. A `JournalSearch` is for callers that do other work in between.
    public func page(_ query: JournalQuery) throws(SQLiteError) -> JournalPage {
        var search = JournalSearch(query)
        _ = try search.step(in: self, isTimeUp: { false })
        return search.page
    }

    /// The row at a position; nil if there is none.
    func row(at position: Int) throws(SQLiteError) -> JournalRow? {
        try row(at: position, by: rowByPosition())
    }

    /// A statement that finds a row by position; prepare it once for several rows.
    func rowByPosition() throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement("SELECT \(Self.columns) FROM row WHERE position = ?", in: database)
    }

    /// The row at a position, found by the statement of `rowByPosition`; nil if there is none.
    func row(at position: Int, by statement: SQLiteStatement) throws(SQLiteError) -> JournalRow? {
        defer { statement.reset() }
        try statement.bind(1, position)
        return try statement.step() ? Self.row(statement) : nil
    }

    /// The row to which the last step of a statement has led. The statement selects `columns`.
    private static func row(_ statement: SQLiteStatement) -> JournalRow {
        let id =
            statement.isNull(8)
            ? nil : JournalRow.RequestID(statement.text(8), number: statement.int(9))
        return JournalRow(
            JournalRow.Kind(rawValue: statement.int(1)) ?? .daemon, position: statement.int(0),
            session: statement.text(2), seq: statement.int(3), atNs: statement.int64(4), id: id,
            body: statement.bytes(10),
            after: JournalPosition(
                position: statement.int(5),
                checksum: UInt32(truncatingIfNeeded: statement.int(6))),
            checksum: UInt32(truncatingIfNeeded: statement.int(7)))
    }
}

/// Opens and inspects a journal without changing it.
extension JournalFile {
    /// Opens a file for reading only: neither the file nor the log beside it is changed. Throws if
    /// another process has the file open.
    public convenience init(reading path: String) throws(SQLiteError) {
        do throws(SQLiteError) {
            let database = try Self.openReadOnly(path)
            let tables = try database.value(
                "SELECT count(*) FROM sqlite_master WHERE name IN ('row', 'fact')")
            // Every journal has these two tables: the rows, and the notes.
            guard tables == "2" else { throw SQLiteError(SQLITE_NOTADB) }
            try self.init(database, path)
        } catch {
            guard !error.isBusy, !error.isDamage, !Self.mayWrite(path) else { throw error }
            throw SQLiteError(
                code: SQLITE_CANTOPEN,
                "the journal has a WAL file, so only a user who may write the journal can read it")
        }
    }

    /// Opens a database for reading. If no file can be created beside it and there is no log, SQLite treats the file as
    /// unchangeable and takes no lock.
    private static func openReadOnly(_ path: String) throws(SQLiteError) -> SQLiteDatabase {
        let log = bytes(of: "\(path)-wal")
        if log == nil, !mayWrite(path) { return try SQLiteDatabase(immutable: path) }
        let database = try SQLiteDatabase(path, creates: false)
        _ = try database.value("PRAGMA locking_mode=EXCLUSIVE")
        try database.run("PRAGMA trusted_schema=OFF")
        // The log of a killed daemon is kept for the daemon's next start. An empty log is removed.
        if let log, log > 0 { database.keepLog() }
        return database
    }

    /// Whether SQLite could lock a file, and create its log beside it.
    private static func mayWrite(_ path: String) -> Bool {
        access(path, W_OK) == 0 && access(directory(of: path), W_OK) == 0
    }

    /// The directory that a file is in.
    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// The size of a file in bytes; nil if the file does not exist.
    private static func bytes(of path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The size of the journal in bytes, including the write-ahead log.
    public var bytes: Int { (Self.bytes(of: path) ?? 0) + logBytes }

    /// The faults that SQLite finds in the file, or else the differences between the index and the rows; empty if there are none.
    public func quickCheck() throws(SQLiteError) -> [String] {
        let statement = try SQLiteStatement("PRAGMA quick_check", in: database)
        var faults: [String] = []
        while try statement.step() { faults.append(statement.text(0)) }
        return faults == ["ok"] ? try indexFaults() : faults
    }
}

/// A query in progress. It runs in short steps, between which the journal may be written.
///
/// Between two steps the query holds no statement and no lock. It only remembers the place at which it continues. The place is
/// the same in the tail and in the index, so rows may move from the tail to the index in the meantime. Rows that are written in
/// the meantime do not change the result, because their positions are after the range that the query searches.
struct JournalSearch {
    let query: JournalQuery
    private(set) var page = JournalPage()
    /// The place of the row that was examined last.
    private var lastExamined: (seq: Int, position: Int)

    /// The number of entries for which `isTimeUp` is called once, because reading the clock for each would take longer.
    private static let entriesPerTimeCheck = 8

    init(_ query: JournalQuery) {
        self.query = query
        // Positions begin with 1, so the search begins with the rows whose `seq` is less than `query.beforeSeq`.
        lastExamined = (query.beforeSeq, 0)
    }

    /// Continues until the page is full, no row is left, or `isTimeUp` returns true. Returns false if the time was up before
    /// the query was finished.
    mutating func step(in file: JournalFile, isTimeUp: () -> Bool) throws(SQLiteError) -> Bool {
        let rowStatement = try file.rowByPosition()
        var examinedCount = 0
        func mustPause() -> Bool {
            examinedCount += 1
            return examinedCount % Self.entriesPerTimeCheck == 0 && isTimeUp()
        }
        for entry in try file.readTail().entries(of: query.session).reversed()
        where query.positions ~= entry.position && entry.place < lastExamined {
            if page.isFull(for: query) { return true }
            if mustPause() { return false }
            lastExamined = entry.place
            try examine(entry, in: file, by: rowStatement)
        }
        let entries = try indexEntries(file)
        while !page.isFull(for: query) {
            if mustPause() { return false }
            guard try entries.step() else {
                page.isComplete = true
                return true
            }
            let entry = IndexEntry(
                seq: entries.int(0), position: entries.int(1), kind: entries.int(2))
            lastExamined = entry.place
            // The later entries are from a filling that is not finished; their rows were found in the tail.
            if entry.position <= file.indexedPosition {
                try examine(entry, in: file, by: rowStatement)
            }
        }
        return true
    }

    /// The entries of the index after the place that was reached.
    private func indexEntries(_ file: JournalFile) throws(SQLiteError) -> SQLiteStatement {
        let entries = try SQLiteStatement(
            """
            SELECT seq, position, kind FROM session_row
            WHERE session = ? AND (seq, position) < (?, ?)
            ORDER BY seq DESC, position DESC
            """, in: file.database)
        try entries.bind(1, query.session)
        try entries.bind(2, lastExamined.seq)
        try entries.bind(3, lastExamined.position)
        return entries
    }

    /// Adds the row of an entry to the page if the query finds the row.
    private mutating func examine(
        _ entry: IndexEntry, in file: JournalFile, by rowStatement: SQLiteStatement
    ) throws(SQLiteError) {
        guard query.positions ~= entry.position,
            let kind = JournalRow.Kind(rawValue: entry.kind), query.kinds.contains(kind),
            let row = try file.row(at: entry.position, by: rowStatement)
        else { return }
        page.add(row)
    }
}
