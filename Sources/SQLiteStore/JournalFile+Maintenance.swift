internal import CSQLite
internal import Glibc
public import Journal
internal import Sessions

/// Removes old rows and keeps the file small.
extension JournalFile {
    /// The size of the write-ahead log in bytes; 0 if the log does not exist.
    var logBytes: Int {
        var status = stat()
        return stat("\(path)-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Moves the write-ahead log into the file, so that the next opening has less to read.
    public func checkpoint() throws(SQLiteError) {
        let result = sqlite3_wal_checkpoint_v2(
            database.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard result == SQLITE_OK else { throw SQLiteError(database.handle) }
    }

    /// The next rows after a position, at most `limit`. The rows end before the first row whose time is `atNs` or later. The
    /// newest row of the journal is never included. It is kept, because the next row's position is counted from it. The result
    /// has the number of each row's request among the session's requests with an id (`id_number`).
    public func pruneCandidates(after position: Int, recordedBefore atNs: Int64, limit: Int)
        throws(SQLiteError) -> [PruneCandidate]
    {
        let statement = try SQLiteStatement(
            """
            SELECT position, session, id_number, at, seq FROM row
            WHERE position > ? AND position < (SELECT max(position) FROM row)
            ORDER BY position LIMIT ?
            """, in: database)
        try statement.bind(1, position)
        try statement.bind(2, Int(limit))
        var found: [PruneCandidate] = []
        while try statement.step(), statement.int64(3) < atNs {
            found.append(
                PruneCandidate(
                    position: statement.int(0), session: statement.text(1), seq: statement.int(4),
                    idNumber: statement.isNull(2) ? nil : statement.int(2)))
        }
        return found
    }

    /// The position up to which old rows were removed; 0 if none were. Gaps before this position are no damage.
    public func prunedUpTo() throws(SQLiteError) -> Int {
        guard let position = Int(try note(JournalNote.pruned) ?? ""),
            0...JournalRow.greatestNumber ~= position
        else { return 0 }
        return position
    }

    /// Removes the rows at these positions, which are in increasing order, and releases some of their space.
    public func prune(_ positions: [Int]) throws(SQLiteError) {
        guard let last = positions.last else { return }
        let newPrunedUpTo = max(last, try prunedUpTo())
        if last > indexedPosition { forgetTail() }
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement("DELETE FROM row WHERE position = ?", in: database)
            for position in positions {
                try statement.bind(1, position)
                _ = try statement.step()
                statement.reset()
            }
            try setNote(JournalNote.pruned, String(newPrunedUpTo))
        }
        // Releases at most 64 free pages, so that one call does not block for long.
        try database.run("PRAGMA incremental_vacuum(64)")
    }
}

/// Erases closed sessions, whose rows contain names and notes of players.
extension JournalFile {
    /// Returns what `erase` would remove, and changes nothing. `session` is a name, which several sessions may have had one
    /// after another. Throws if a session of that name is open.
    public func erasure(of session: String) throws(ErasureError) -> Erasure {
        let rows: [JournalRow]
        do throws(SQLiteError) { rows = try self.rows(of: session) } catch {
            throw .storage(StoreError(forUser: error))
        }
        return try Erasure(of: rows)
    }

    /// Replaces the rows of all sessions with this name by one row, which records the erasure. Removes the name from the
    /// daemon's own rows. Then rewrites the file, so that the erased data remains neither in the file nor in the log beside the
    /// file.
    public func erase(_ session: String) throws(ErasureError) -> Erasure {
        let erasure = try erasure(of: session)
        do throws(SQLiteError) {
            // The daemon's own rows have an empty name in the column `session`.
            let daemonRows = Erasure.daemonRows(try rows(of: ""), without: session)
            // Rewrites the file. If the disk has too little space to rewrite the file, the erasure fails here, before any row
            // is changed.
            try database.run("VACUUM")
            // From now on SQLite overwrites deleted data with zeros.
            _ = try database.value("PRAGMA secure_delete=ON")
            forgetTail()
            try database.transaction { () throws(SQLiteError) in
                let statement = try SQLiteStatement(
                    "DELETE FROM row WHERE session = ?", in: database)
                try statement.bind(1, session)
                _ = try statement.step()
                try add(erasure.row)
                for row in daemonRows { try replace(row) }
            }
            try database.run("VACUUM")
            try checkpoint()
        } catch { throw .storage(StoreError(forUser: error)) }
        return erasure
    }

    /// Replaces the row at the position of `row`.
    private func replace(_ row: JournalRow) throws(SQLiteError) {
        let statement = try SQLiteStatement("DELETE FROM row WHERE position = ?", in: database)
        try statement.bind(1, row.position)
        _ = try statement.step()
        try add(row)
    }

    /// The positions of all erased rows, in increasing order. They are in the rows of the kind `forgotten`, which replace the
    /// erased rows.
    public func erasedPositions() throws(SQLiteError) -> [Int] {
        let statement = try SQLiteStatement(
            "SELECT position FROM row WHERE session = '' AND kind = ?", in: database)
        try statement.bind(1, SessionRecord.Kind.forgotten.rawValue)
        let rowStatement = try rowByPosition()
        var erased: Set<Int> = []
        while try statement.step() {
            let row = try row(at: statement.int(0), by: rowStatement)
            erased.formUnion(row?.erasedPositions ?? [])
        }
        return erased.sorted()
    }

    /// The rows of all sessions with this name, in order.
    private func rows(of session: String) throws(SQLiteError) -> [JournalRow] {
        let positions = try SQLiteStatement(
            "SELECT position FROM row WHERE session = ? AND position > 0 ORDER BY position",
            in: database)
        try positions.bind(1, session)
        let rowStatement = try rowByPosition()
        var rows: [JournalRow] = []
        while try positions.step() {
            if let row = try row(at: positions.int(0), by: rowStatement) { rows.append(row) }
        }
        return rows
    }
}
