internal import CSQLite
internal import Journal
internal import Sessions

/// The index of sessions: the table `session_row`, by which the rows of a session are found.
///
/// The index has all rows up to the indexed position. This position is a note, which is written in the same transaction as the
/// last of these rows. The later rows are the tail, which is in memory (`SessionTail`). The table may also have rows of the
/// tail: those of a filling that is in progress or was interrupted. Readers ignore them.
extension JournalFile {
    /// The name of the note with the indexed position.
    static let indexedNote = "indexed"

    /// The name of the index that earlier versions of gamed maintain with each row.
    private static let earlierIndex = "row_by_session"

    private static let indexColumns = """
        session TEXT NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, kind INTEGER NOT NULL,
        PRIMARY KEY (session, seq, position)
        """

    /// Creates the index. The trigger removes the entry of each removed row, also if another program or an earlier version of
    /// gamed removes the row.
    private static let indexSchema = """
        DROP TABLE IF EXISTS temp.session_row;
        CREATE TABLE IF NOT EXISTS main.session_row (\(indexColumns)) WITHOUT ROWID;
        CREATE TRIGGER IF NOT EXISTS main.row_removed AFTER DELETE ON row BEGIN
            DELETE FROM session_row
            WHERE session = old.session AND seq = old.seq AND position = old.position;
        END
        """

    /// The indexed position of an open database; 0 if the recorded one is impossible. A file without the index, which an earlier
    /// version of gamed has written, gets an empty one that is not stored: all of its rows are the tail.
    static func openIndex(_ database: SQLiteDatabase) throws(SQLiteError) -> Int {
        guard try exists(["session_row"], in: database) else {
            try database.run("CREATE TEMP TABLE session_row (\(indexColumns)) WITHOUT ROWID")
            return 0
        }
        let position = Int(try note(indexedNote, in: database) ?? "") ?? 0
        return 0...JournalRow.greatestNumber ~= position ? position : 0
    }

    /// Whether the file has all tables, indexes and triggers of these names.
    private static func exists(_ names: [String], in database: SQLiteDatabase) throws(SQLiteError)
        -> Bool
    {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        let count = try database.value(
            "SELECT count(*) FROM main.sqlite_master WHERE name IN (\(list))")
        return count == String(names.count)
    }

    /// Whether all rows must be indexed again: the index is missing, or an earlier version of gamed may have written rows. Such a
    /// version maintains an index of its own, and creates it if it is missing.
    func needsNewIndex() throws(SQLiteError) -> Bool {
        guard try Self.exists(["session_row", "row_removed"], in: database) else { return true }
        return try hasEarlierIndex()
    }

    private func hasEarlierIndex() throws(SQLiteError) -> Bool {
        try Self.exists([Self.earlierIndex], in: database)
    }

    /// Adds all rows of the tail to the index, in one transaction. Unlike `fillIndex`, this needs no memory for the rows. If
    /// all rows must be indexed again, adds all of them, and removes the index of earlier versions.
    public func updateIndex() throws(SQLiteError) {
        let first = try needsNewIndex() ? 0 : indexedPosition
        let source = try hasEarlierIndex() ? Self.earlierIndex : nil
        let newest = max(first, try newestPosition())
        try database.transaction { () throws(SQLiteError) in
            try database.run(Self.indexSchema)
            if first == 0 { try database.run("DELETE FROM session_row") }
            try addEntries(after: first, source)
            try database.run("DROP INDEX IF EXISTS \(Self.earlierIndex)")
            try setNote(Self.indexedNote, String(newest))
        }
        indexedPosition = newest
        (tail, filling) = (SessionTail(), nil)
    }

    /// Adds the rows after a position to the index. If the name of an index is given, the rows are read in its order, and need
    /// not be sorted.
    private func addEntries(after position: Int, _ index: String?) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            """
            INSERT OR REPLACE INTO session_row SELECT session, seq, position, kind
            FROM row \(index.map { "INDEXED BY \($0)" } ?? "") WHERE position > ?
            ORDER BY session, seq, position
            """, in: database)
        try statement.bind(1, position)
        _ = try statement.step()
    }

    /// Whether the index is being filled: `fillIndex` has returned false.
    var isFillingIndex: Bool { filling != nil }

    /// The number of rows for which `isTimeUp` is called once, because reading the clock for each would take longer.
    private static let rowsPerTimeCheck = 16

    /// Adds rows of the tail to the index, in one transaction, until `isTimeUp` returns true. Returns whether all rows were
    /// added that the tail had at the first of these calls.
    package func fillIndex(isTimeUp: () -> Bool) throws(SQLiteError) -> Bool {
        let tail = try readTail()
        if tail.isEmpty { return true }
        var filling = filling ?? IndexFilling(tail)
        var isFinished = false
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                isFinished = try fill(&filling, tail, isTimeUp)
                if isFinished { try setNote(Self.indexedNote, String(filling.target)) }
            }
        } catch {
            forgetTail()
            throw error
        }
        self.filling = isFinished ? nil : filling
        if isFinished {
            indexedPosition = filling.target
            self.tail?.remove(upTo: filling.target)
        }
        return isFinished
    }

    /// Adds rows within the transaction in progress. Returns false if the time was up before all rows were added.
    private func fill(_ filling: inout IndexFilling, _ tail: SessionTail, _ isTimeUp: () -> Bool)
        throws(SQLiteError) -> Bool
    {
        let insert = try entryInsertion()
        var count = 0
        while let (session, entry) = filling.next(in: tail) {
            try add(session, entry, by: insert)
            count += 1
            if count % Self.rowsPerTimeCheck == 0, isTimeUp() { return false }
        }
        return true
    }

    /// A statement that adds an entry to the index. The index has the entry already if an earlier filling was interrupted.
    private func entryInsertion() throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement("INSERT OR REPLACE INTO session_row VALUES (?, ?, ?, ?)", in: database)
    }

    /// Adds an entry with the statement of `entryInsertion`.
    private func add(_ session: String, _ entry: IndexEntry, by insert: SQLiteStatement)
        throws(SQLiteError)
    {
        defer { insert.reset() }
        try insert.bind(1, session)
        try insert.bind(2, entry.seq)
        try insert.bind(3, entry.position)
        try insert.bind(4, entry.kind)
        _ = try insert.step()
    }

    /// Adds a row to the index if its position is not after the indexed position: a row that replaces others, or that follows
    /// after rows at the end were removed. The row is added within the transaction in progress.
    func indexIfNotInTail(_ row: JournalRow) throws(SQLiteError) {
        guard row.position <= indexedPosition else { return }
        try add(row.session, row.indexEntry, by: entryInsertion())
    }

    /// The rows after the indexed position. They are read from the file, unless they are in memory already.
    func readTail() throws(SQLiteError) -> SessionTail {
        if let tail { return tail }
        let rows = try SQLiteStatement(
            "SELECT session, seq, position, kind FROM row WHERE position > ? ORDER BY position",
            in: database)
        try rows.bind(1, indexedPosition)
        var found = SessionTail()
        while try rows.step() {
            found.add(
                rows.text(0),
                IndexEntry(seq: rows.int(1), position: rows.int(2), kind: rows.int(3)))
        }
        tail = found
        return found
    }

    /// Adds rows to the tail after they were written. If the tail is not in memory, it has them when it is read.
    func addToTail(_ rows: [JournalRow]) {
        for row in rows where row.position > indexedPosition {
            tail?.add(row.session, row.indexEntry)
        }
    }

    /// Lets the tail be read again before it is used: rows were removed, or it is not known whether rows were written.
    func forgetTail() { (tail, filling) = (nil, nil) }

    /// How the index and the rows differ; empty if they agree. SQLite does not know that the table is an index.
    func indexFaults() throws(SQLiteError) -> [String] {
        // An entry belongs to the row with the same values, so a row has no more than one entry.
        let entries = try SQLiteStatement(
            """
            SELECT sum(row.position IS NULL), sum(row.position <= ?) FROM session_row AS e
            LEFT JOIN row ON row.position = e.position AND row.session = e.session
                AND row.seq = e.seq AND row.kind = e.kind
            """, in: database)
        let rows = try SQLiteStatement(
            "SELECT count(*) FROM row WHERE position BETWEEN 1 AND ?", in: database)
        for statement in [entries, rows] { try statement.bind(1, indexedPosition) }
        guard try entries.step(), try rows.step() else { return [] }
        let (extra, missing) = (entries.int(0), rows.int(0) - entries.int(1))
        var faults: [String] = []
        if missing != 0 { faults.append("the index of sessions lacks \(missing) rows") }
        if extra != 0 {
            faults.append("the index of sessions has \(extra) entries without a row")
        }
        return faults
    }
}

extension JournalRow {
    fileprivate var indexEntry: IndexEntry {
        IndexEntry(seq: seq, position: position, kind: kind.rawValue)
    }
}
