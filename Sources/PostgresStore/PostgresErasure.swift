public import Journal
internal import Sessions

/// Erases closed sessions from a database, because their rows contain names and notes of players. Nodes may use the database
/// meanwhile.
///
/// Its calls block, so use it only in a program that may wait.
public final class PostgresErasure {
    private let session: PostgresSession
    private let shard: Int32

    /// Connects, to erase sessions of a shard.
    public init(_ location: PostgresLocation, shard: Int) throws(PostgresError) {
        session = try PostgresSession(location)
        self.shard = Int32(clamping: shard)
        try ServerCheck.checkSchema(session)
        try session.script("SET lock_timeout = '5s'")
    }

    /// Returns what `erase` would remove, and changes nothing. Throws if a session with this name is open.
    public func erasure(of name: String) throws(ErasureError) -> Erasure {
        try Erasure(
            of: Self.withErasureErrors { () throws(PostgresError) in try rows(of: name) })
    }

    /// Replaces the rows of all sessions with a name by one row that records the erasure, and removes the name from the
    /// daemon's own rows. Both happen in one transaction.
    ///
    /// The lock on the shard waits for an append that is in progress. The shard's owner still has the erased rows in memory.
    /// Therefore the epoch is incremented: the database refuses the owner's next append, and the owner then reads the shard
    /// again. The owner's lease remains, so that no other node acquires the shard while this owner may still act.
    public func erase(_ name: String) throws(ErasureError) -> Erasure {
        try Self.withErasureErrors { () throws(PostgresError) in try session.script("BEGIN") }
        do throws(ErasureError) {
            let epoch = try Self.withErasureErrors { () throws(PostgresError) in try lock() }
            let erasure = try erasure(of: name)
            try Self.withErasureErrors { () throws(PostgresError) in
                try replace(name, erasure, epoch)
            }
            return erasure
        } catch {
            try? session.script("ROLLBACK")
            throw error
        }
    }

    /// Locks the shard until the end of the transaction. Returns its epoch.
    private func lock() throws(PostgresError) -> Int {
        let found = try session.run(
            "SELECT epoch FROM gamed_shard WHERE id = $1::int4 FOR NO KEY UPDATE", [.int4(shard)])
        guard let epoch = found.integer(0, 0) else {
            throw PostgresError(.unsuitable, "the database has no shard \(shard)")
        }
        return epoch
    }

    /// Replaces the rows, increments the epoch, and commits.
    private func replace(
        _ name: String, _ erasure: Erasure, _ epoch: Int
    ) throws(PostgresError) {
        let daemonRows = Erasure.daemonRows(try rows(of: ""), without: name)
        try session.run(
            """
            DELETE FROM gamed_row WHERE shard = $1::int4
                AND (session = $2::text OR position = ANY ($3::int8[]))
            """, [.int4(shard), .text(name), .int8s(daemonRows.map(\.position))])
        let part = WriteQueue.Part(shard: shard, rows: [erasure.row] + daemonRows)
        try session.run(Statement.append.text, PostgresRow.parameters([part]) { _ in epoch })
        // Nodes that remember games, for example for leaderboards, read the rows again.
        try session.run(
            """
            INSERT INTO gamed_fact VALUES ('\(NewestPositions.erasuresNote)', '1') ON CONFLICT (name)
            DO UPDATE SET value = (gamed_fact.value::int8 + 1)::text
            """)
        // The missing backend tells the owner that it has to read the shard again.
        try session.run(
            """
            UPDATE gamed_shard SET epoch = epoch + 1, backend = NULL, backend_start = NULL
            WHERE id = $1::int4
            """, [.int4(shard)])
        try session.script("NOTIFY gamed_shard; COMMIT")
    }

    private func rows(of name: String) throws(PostgresError) -> [JournalRow] {
        PostgresRow.rows(
            try session.run(
                """
                SELECT \(Statement.columns) FROM gamed_row
                WHERE shard = $1::int4 AND session = $2::text ORDER BY position
                """, [.int4(shard), .text(name)]))
    }

    /// Executes `work`, and converts its error.
    private static func withErasureErrors<T>(
        _ work: () throws(PostgresError) -> T
    ) throws(ErasureError) -> T {
        do throws(PostgresError) { return try work() } catch { throw .storage(error.storeError) }
    }
}

extension PostgresJournal {
    /// The positions of all rows that were erased from a shard, in increasing order.
    public func erased(of shard: Int) throws(PostgresError) -> [Int] {
        // A row of this kind records an erasure.
        let kind = SessionRecord.Kind.forgotten.rawValue
        let rows = try session.run(
            """
            SELECT \(Statement.columns) FROM gamed_row
            WHERE shard = $1::int4 AND session = '' AND kind = $2::int8 ORDER BY position
            """, [.int4(Int32(clamping: shard)), .int8(kind)])
        return Set(PostgresRow.rows(rows).flatMap(\.erasedPositions)).sorted()
    }
}
