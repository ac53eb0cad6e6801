internal import CSQLite
internal import Glibc
public import Journal

/// Keeps the file small.
extension JournalFile {
    /// The size of the write-ahead log in bytes.
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

    /// The next rows after a position, up to the first one not before `atNs`; at most `limit`. The
    /// newest row of all is not included, so that no position is ever used twice.
    public func candidates(after position: Int, before atNs: Int64, limit: Int)
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

    /// The position up to which old rows were removed: gaps before it are expected.
    public func pruned() throws(SQLiteError) -> Int {
        guard let pruned = Int(try fact("pruned") ?? ""), 0...JournalRow.most ~= pruned else {
            return 0
        }
        return pruned
    }

    /// Removes old rows, given in increasing order, and releases some of their space.
    public func prune(_ positions: [Int]) throws(SQLiteError) {
        guard let last = positions.last else { return }
        let upTo = max(last, try pruned())
        try database.transaction { () throws(SQLiteError) in
            let statement = try SQLiteStatement("DELETE FROM row WHERE position = ?", in: database)
            for position in positions {
                try statement.bind(1, position)
                _ = try statement.step()
                statement.reset()
            }
            try note("pruned", String(upTo))
        }
        try database.run("PRAGMA incremental_vacuum(64)")
    }
}
