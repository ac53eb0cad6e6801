internal import Journal
internal import Sessions

/// Makes one journal of the rows of several shards: numbers them in the order in which they are
/// taken, and links each one to its session's row before it.
///
/// Rows that record the start of an owner are left out: in one journal they would stop the timers
/// of all sessions. A row that is damaged, or whose preceding row is missing, is so in the result.
struct ShardMerge {
    private struct Key: Hashable {
        let shard: Int
        let session: String
    }

    /// The newest row of each session, in its shard and in the result.
    private var last: [Key: (old: JournalPosition, new: JournalPosition)] = [:]
    private var texts: Set<[UInt8]> = []
    private let prunedOf: [Int: Int]
    /// The position up to which rows are missing from the result, because they were removed.
    let pruned: Int
    private var position: Int

    /// `pruned` is the position of each shard up to which old rows were removed.
    init(pruned: [Int: Int]) {
        prunedOf = pruned
        self.pruned = pruned.values.contains { $0 > 0 } ? 1 : 0
        position = self.pruned
    }

    /// The row in the result; nil if it is left out.
    mutating func take(_ row: JournalRow, of shard: Int) -> JournalRow? {
        if row.kind == .daemon, row.isWhole {
            let isNewText = row.seq == SessionRecord.textSeq && texts.insert(row.body).inserted
            guard isNewText else { return nil }
        }
        if row.kind == .forgotten { return erasure(row) }
        // The daemon's own rows of all shards are one chain.
        let key = Key(shard: row.isOfNoSession ? -1 : shard, session: row.session)
        position += 1
        let previous = previous(of: row, key, shard)
        let new = JournalRow(
            restored: row.kind, position, row.session, row.seq, row.atNs, row.id, row.body,
            after: previous, checksum: nil)
        last[key] = (row.mark, new.mark)
        guard !row.isWhole else { return new }
        return JournalRow(
            restored: row.kind, position, row.session, row.seq, row.atNs, row.id, row.body,
            after: previous, checksum: ~new.checksum)
    }

    /// The row of an erasure keeps the number of changes, and names no rows: those in the result have no gaps.
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

    private func previous(of row: JournalRow, _ key: Key, _ shard: Int) -> JournalPosition {
        if row.isOfNoSession { return last[key]?.new ?? .start }
        if row.previous == .start { return .start }
        guard let last = last[key] else {
            let isExpected = row.previous.position <= prunedOf[shard] ?? 0
            return JournalPosition(
                position: isExpected ? pruned : position - 1, checksum: row.previous.checksum)
        }
        return last.old == row.previous
            ? last.new
            : JournalPosition(position: last.new.position, checksum: ~last.new.checksum)
    }
}
