public import Journal

/// The notes, which all shards and processes of a store share. The table `gamed_fact` contains them.
extension PostgresShard {
    /// Reads all notes of the store, the shard's high-water mark, and the position up to which the shard's old rows were
    /// removed.
    public func notes(_ done: @escaping (Result<StoreNotes, StoreError>) -> Void) {
        read(PostgresCommand(text: StoreNotes.query, [.int4(number)])) {
            done($0.map(StoreNotes.init))
        }
    }

    /// Adds a note unless a note with that name exists. Returns the value that the note has afterwards.
    public func addNote(
        _ name: String, _ value: String, _ done: @escaping (Result<String, StoreError>) -> Void
    ) {
        let text = """
            INSERT INTO gamed_fact VALUES ($1::text, $2::text)
            ON CONFLICT (name) DO UPDATE SET value = gamed_fact.value RETURNING value
            """
        read(PostgresCommand(text: text, [.text(name), .text(value)])) {
            done($0.map { $0.text(0, 0) ?? value })
        }
    }
}

extension PostgresShard {
    /// Reads the positions of the newest rows of all shards, including shards of other nodes.
    public func newestPositions(_ done: @escaping (Result<NewestPositions, StoreError>) -> Void) {
        let text = """
            SELECT s.id, (SELECT max(r.position) FROM gamed_row r WHERE r.shard = s.id),
                (SELECT value::int8 FROM gamed_fact WHERE name = '\(NewestPositions.erasuresNote)')
            FROM gamed_shard s
            """
        read(PostgresCommand(text: text)) { done($0.map(NewestPositions.init)) }
    }
}

/// The position of the newest row of each shard of a store.
public struct NewestPositions: Sendable {
    /// The position of the newest row, by shard; shards without rows are left out.
    public let positions: [Int: Int]
    /// The number of erasures in the store. When it changes, a reader of all shards must read their rows again.
    public let erasures: Int

    /// The name of the note that counts erasures.
    static let erasuresNote = "erasures"

    init(_ result: PostgresResult) {
        var positions: [Int: Int] = [:]
        for row in 0..<result.count {
            guard let shard = result.integer(row, 0), let newest = result.integer(row, 1) else {
                continue
            }
            positions[shard] = newest
        }
        (self.positions, erasures) = (positions, result.integer(0, 2) ?? 0)
    }
}

/// The notes of a store about itself, and about the rows of one shard.
public struct StoreNotes: Sendable {
    /// The values of the notes, by name.
    public let values: [String: String]
    /// The position up to which old rows were removed: gaps before it are expected.
    public let pruned: Int
    /// The newest row, and the time until which a daemon is known to have run; nil if no daemon ran.
    public let mark: HighWaterMark?

    /// `$1` is the shard.
    package static let query = """
        SELECT f.name, f.value, s.pruned, s.mark_position, s.mark_at
        FROM gamed_shard s LEFT JOIN gamed_fact f ON f.name <> 'schema' WHERE s.id = $1::int4
        """

    init(_ result: PostgresResult) {
        var values: [String: String] = [:]
        for row in 0..<result.count {
            if let name = result.text(row, 0) { values[name] = result.text(row, 1) }
        }
        self.values = values
        let pruned = result.integer(0, 2) ?? 0
        self.pruned = 0...JournalRow.greatestNumber ~= pruned ? pruned : 0
        let position = result.integer(0, 3) ?? 0
        let atNs = Int64(result.integer(0, 4) ?? 0)
        mark = atNs > 0 && position >= 0 ? HighWaterMark(position: position, atNs: atNs) : nil
    }
}
