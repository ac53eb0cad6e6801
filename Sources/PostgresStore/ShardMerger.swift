internal import Journal
internal import Sessions

/// Merges the rows of several shards into one journal: numbers the rows in the order in which they are
/// added, and links each row to the preceding row of its session.
///
/// Rows that record the start of an owner are left out: in one journal they would stop the timers
/// of all sessions. A row that is damaged, or whose preceding row is missing, remains so in the result.
struct ShardMerger {
    private struct Key: Hashable {
        let shard: Int
        let session: String
    }

    /// The position of the newest row of each session, in its shard and in the result.
    private var newest: [Key: (inShard: JournalPosition, inResult: JournalPosition)] = [:]
    /// The bodies of the rows with flow texts that were added. The result contains each text only once.
    private var texts: Set<[UInt8]> = []
    /// The position up to which old rows were removed, by shard.
    private let prunedByShard: [Int: Int]
    /// The position up to which rows are missing from the result, because they were removed.
    let pruned: Int
    /// The position of the newest row of the result.
    private var position: Int

    /// `pruned` is the position up to which old rows were removed, by shard.
    init(pruned: [Int: Int]) {
        prunedByShard = pruned
        self.pruned = pruned.values.contains { $0 > 0 } ? 1 : 0
        position = self.pruned
    }

    /// Adds a row of a shard. Returns the row of the result; nil if the row is left out.
    mutating func add(_ row: JournalRow, of shard: Int) -> JournalRow? {
        if row.kind == .daemon, row.isWhole {
            let isNewText = row.seq == SessionRecord.textSeq && texts.insert(row.body).inserted
            guard isNewText else { return nil }
        }
        if row.kind == .forgotten { return erasure(row) }
        // The daemon's own rows of all shards are one chain.
        let key = Key(shard: row.hasNoSession ? -1 : shard, session: row.session)
        position += 1
        let previous = previous(of: row, key, shard)
        let new = JournalRow(
            restored: row.kind, position, row.session, row.seq, row.atNs, row.id, row.body,
            after: previous, checksum: nil)
        newest[key] = (row.journalPosition, new.journalPosition)
        guard !row.isWhole else { return new }
        return JournalRow(
            restored: row.kind, position, row.session, row.seq, row.atNs, row.id, row.body,
            after: previous, checksum: ~new.checksum)
    }

    /// The row of an erasure keeps its `pos`, but lists no erased positions, because the positions in the result have no gaps.
    private mutating func erasure(_ row: JournalRow) -> JournalRow? {
        guard row.isWhole, let record = try? row.record(),
            case .forgotten(let forgotten) = record.body
        else { return nil }
        position += 1
        let body = SessionRecord.Body.forgotten(.init([], openings: forgotten.openings))
        return JournalRow(
            SessionRecord(body, session: nil, seq: 0, at: record.at, pos: record.pos),
            at: position, after: .start)
    }

    /// The link of a row in the result to the preceding row. It does not match if that row is missing or has changed.
    private func previous(of row: JournalRow, _ key: Key, _ shard: Int) -> JournalPosition {
        if row.hasNoSession { return newest[key]?.inResult ?? .start }
        if row.previous == .start { return .start }
        guard let positions = newest[key] else {
            let isExpected = row.previous.position <= prunedByShard[shard] ?? 0
            return JournalPosition(
                position: isExpected ? pruned : position - 1, checksum: row.previous.checksum)
        }
        return positions.inShard == row.previous
            ? positions.inResult
            : JournalPosition(
                position: positions.inResult.position, checksum: ~positions.inResult.checksum)
    }
}
