/// Figures about the rows of all shards in the database.
public struct StoredFigures: Sendable {
    /// The positions of the newest rows of all shards, added up. An owner writes the position of its newest row when it renews its
    /// lease, so the sum may be a second old.
    public let rows: Int
    /// The size of the table of the rows with its indexes, in bytes.
    public let bytes: Int
    /// When the last backup was made, in seconds since 1970; 0 if none was made.
    public let lastBackup: Int

    /// The name of the note with the time of the last backup.
    static let backupNote = "saved"

    static let query = """
        SELECT (SELECT sum(mark_position)::int8 FROM gamed_shard), pg_total_relation_size('gamed_row'),
            (SELECT value::int8 FROM gamed_fact WHERE name = '\(backupNote)')
        """
}

extension PostgresStore {
    /// Reads figures about the rows of all shards. They are nil if there is no connection, or if the connection is lost meanwhile.
    public func readFigures(_ done: @escaping (StoredFigures?) -> Void) {
        guard link.isConnected else { return done(nil) }
        link.execute([PostgresCommand(text: StoredFigures.query)]) { result in
            guard case .success(let results) = result, let row = results.first else {
                return done(nil)
            }
            done(
                StoredFigures(
                    rows: row.integer(0, 0) ?? 0, bytes: row.integer(0, 1) ?? 0,
                    lastBackup: row.integer(0, 2) ?? 0))
        }
    }

    /// Records when the last backup was made, in seconds since 1970, for all nodes.
    public func noteBackup(at seconds: Int) {
        link.execute([PostgresShard.noteCommand(StoredFigures.backupNote, "\(seconds)")]) { _ in }
    }
}
