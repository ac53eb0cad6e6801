public import Journal
internal import Sessions

extension JournalFile {
    private static let columns =
        "position, kind, session, seq, at, previous, previous_checksum, checksum, id, id_number, body"

    /// The position of the newest row; 0 if there is none.
    public func head() throws(SQLiteError) -> Int {
        Int(try database.value("SELECT coalesce(max(position), 0) FROM row") ?? "") ?? 0
    }

    /// The number of rows.
    public func count() throws(SQLiteError) -> Int {
        Int(try database.value("SELECT count(*) FROM row") ?? "") ?? 0
    }

    /// Passes the rows after a position to `take`, in order, until it returns false.
    public func rows(after position: Int = 0, _ take: (JournalRow) -> Bool) throws(SQLiteError) {
        let statement = try SQLiteStatement(
            "SELECT \(Self.columns) FROM row WHERE position > ? ORDER BY position", in: database)
        try statement.bind(1, position)
        while try statement.step() {
            guard take(Self.row(statement)) else { return }
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

    /// For each session that has rows, the newest row with its state, and the mark of its newest
    /// row of any kind.
    public func newest(of sessions: [String]) throws(SQLiteError) -> [NewestRow] {
        let newest = try SQLiteStatement(
            """
            SELECT max(position), max(CASE WHEN kind <> ? THEN position END) FROM row
            INDEXED BY row_by_session WHERE session = ?
            """, in: database)
        let rows = try rowByPosition()
        var found: [NewestRow] = []
        for session in sessions {
            defer { newest.reset() }
            try newest.bind(1, SessionRecord.Kind.refusal.rawValue)
            try newest.bind(2, session)
            guard try newest.step(), !newest.isNull(1),
                let last = try row(at: newest.int(0), by: rows),
                let row = try row(at: newest.int(1), by: rows)
            else { continue }
            found.append(NewestRow(row, mark: last.mark))
        }
        return found
    }

    /// A page of a session's rows, found without interruption.
    public func page(_ query: JournalQuery) throws(SQLiteError) -> JournalPage {
        var search = JournalSearch(query)
        _ = try search.step(in: self) { false }
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

    func row(at position: Int, by statement: SQLiteStatement) throws(SQLiteError) -> JournalRow? {
        defer { statement.reset() }
        try statement.bind(1, position)
        return try statement.step() ? Self.row(statement) : nil
    }

    private static func row(_ statement: SQLiteStatement) -> JournalRow {
        let id =
            statement.isNull(8)
            ? nil : JournalRow.RequestID(statement.text(8), number: statement.int(9))
        return JournalRow(
            restored: JournalRow.Kind(rawValue: statement.int(1)) ?? .daemon, statement.int(0),
            statement.text(2), statement.int(3), statement.int64(4), id, statement.bytes(10),
            after: JournalPosition(
                position: statement.int(5),
                checksum: UInt32(truncatingIfNeeded: statement.int(6))),
            checksum: UInt32(truncatingIfNeeded: statement.int(7)))
    }
}
