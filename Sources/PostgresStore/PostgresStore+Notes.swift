public import Journal

/// Notes about the journal, which belong to the store and not to a process.
extension PostgresStore {
    /// All notes, and the position up to which old rows were removed, and the high-water mark.
    public func notes(_ done: @escaping (Result<StoreNotes, StoreError>) -> Void) {
        let text = """
            SELECT f.name, f.value, s.pruned, s.mark_position, s.mark_at
            FROM gamed_shard s LEFT JOIN gamed_fact f ON true WHERE s.id = $1::int4
            """
        read(PostgresCommand(text: text, [.int4(shard)])) { done($0.map(StoreNotes.init)) }
    }

    /// Writes a note.
    public func note(
        _ name: String, _ value: String, _ done: @escaping (Result<Void, StoreError>) -> Void
    ) {
        let text = """
            INSERT INTO gamed_fact VALUES ($1::text, $2::text)
            ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
            """
        read(PostgresCommand(text: text, [.text(name), .text(value)])) { done($0.map { _ in }) }
    }
}

/// What a store notes about its rows.
public struct StoreNotes: Sendable {
    public let facts: [String: String]
    /// The position up to which old rows were removed.
    public let pruned: Int
    /// The newest row, and the time until which a daemon is known to have run; nil if none ran.
    public let mark: HighWaterMark?

    init(_ result: PostgresResult) {
        var facts: [String: String] = [:]
        for row in 0..<result.count {
            if let name = result.text(row, 0) { facts[name] = result.text(row, 1) }
        }
        self.facts = facts
        let pruned = result.integer(0, 2) ?? 0
        self.pruned = 0...JournalRow.most ~= pruned ? pruned : 0
        let position = result.integer(0, 3) ?? 0
        let atNs = Int64(result.integer(0, 4) ?? 0)
        mark = position > 0 && atNs >= 0 ? HighWaterMark(position: position, atNs: atNs) : nil
    }
}
