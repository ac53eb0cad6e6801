public import Journal
internal import Sessions

/// Reads all rows of a database as they were at one instant, while daemons may go on writing.
///
/// Its calls block, so use it on a worker thread, or in a program that may wait.
public final class PostgresJournal {
    let session: PostgresSession
    /// The shards that have rows, in order.
    public let shards: [Int]
    private static let rowsPerStep = 1000

    /// Connects, and begins a transaction that sees the present rows only.
    public init(_ location: PostgresLocation) throws(PostgresError) {
        session = try PostgresSession(location)
        try ServerCheck.checkSchema(session)
        try session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let found = try session.run(
            """
            SELECT id FROM gamed_shard s
            WHERE EXISTS (SELECT FROM gamed_row r WHERE r.shard = s.id) ORDER BY id
            """)
        shards = (0..<found.count).compactMap { found.integer($0, 0) }
    }

    /// The named values of the store, and the high-water mark of a shard. The shard's owner wrote the mark when it most
    /// recently renewed its lease, or when it released the shard.
    public func notes(of shard: Int) throws(PostgresError) -> StoreNotes {
        StoreNotes(try session.run(StoreNotes.query, [.int4(Int32(clamping: shard))]))
    }

    /// The position of a shard's newest row; 0 if the shard has no rows.
    public func newestPosition(of shard: Int) throws(PostgresError) -> Int {
        let found = try session.run(
            "SELECT coalesce(max(position), 0) FROM gamed_row WHERE shard = $1::int4",
            [.int4(Int32(clamping: shard))])
        return found.integer(0, 0) ?? 0
    }

    /// Calls `take` with each row of a shard in order until it returns false.
    public func rows(of shard: Int, _ take: (JournalRow) -> Bool) throws(PostgresError) {
        var position = 0
        while true {
            let rows = PostgresRow.rows(
                try session.run(
                    Statement.walk.text,
                    [.int4(Int32(clamping: shard)), .int8(position), .int8(Self.rowsPerStep)]))
            guard let last = rows.last else { return }
            for row in rows where !take(row) { return }
            // A damaged position must not make the reading go back.
            position = max(position + 1, last.position)
        }
    }

    /// The size of the table of rows with its indexes, in bytes; 0 if it cannot be read.
    public var bytes: Int {
        let found = try? session.run("SELECT pg_total_relation_size('gamed_row')")
        return found?.integer(0, 0) ?? 0
    }

    // MARK: all shards in one journal

    /// Calls `take` with pages of the rows of all shards, in the order of their times. `merger` numbers and
    /// links them as the rows of one journal.
    private func readMerged(
        _ merger: inout ShardMerger, _ take: ([JournalRow]) throws -> Void
    ) throws {
        // `turn` keeps the rows of a shard in order even if the time of a row is damaged.
        try session.script(
            """
            DECLARE merged NO SCROLL CURSOR FOR
            SELECT \(Statement.columns), shard FROM (
                SELECT \(Statement.columns), shard,
                    max(at) OVER (PARTITION BY shard ORDER BY position) AS turn
                FROM gamed_row) AS r
            ORDER BY turn, shard, position
            """)
        while true {
            let page = try session.run("FETCH \(Self.rowsPerStep) FROM merged")
            guard page.count > 0 else { break }
            // The column of the shard follows the 11 columns of `Statement.columns`.
            try take(
                (0..<page.count).compactMap {
                    merger.add(PostgresRow.row($0, of: page), of: page.integer($0, 11) ?? 0)
                })
        }
        try session.script("CLOSE merged")
    }

    /// Writes all rows and notes to a new journal of a kind, and verifies it. `notes` are added to the notes of the database, or
    /// replace those with the same names.
    package func copy(
        to path: String, as kind: any LocalJournal.Type, notes: [String: String]
    ) -> Result<BackupSummary, StoreError> {
        do {
            let copy = try kind.copy(to: path)
            var pruned: [Int: Int] = [:]
            for shard in shards { pruned[shard] = try self.notes(of: shard).pruned }
            var merger = ShardMerger(pruned: pruned)
            try readMerged(&merger) { try copy.append($0) }
            let storedNotes = try self.notes(of: 0).values
            let allNotes = storedNotes.merging(notes) { $1 }
            for (name, value) in allNotes.sorted(by: { $0.key < $1.key }) {
                try copy.setNote(name, value)
            }
            try copy.recordPruned(upTo: merger.pruned)
            return .success(try copy.finish())
        } catch let error as PostgresError {
            return .failure(error.storeError)
        } catch let error as StoreError {
            return .failure(StoreError(.other, why: error.why))
        } catch {
            return .failure(StoreError(.other, why: "\(error)"))
        }
    }
}
