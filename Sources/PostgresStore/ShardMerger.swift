internal import Journal
internal import Sessions

/// Merges the rows of several shards into one journal, for a copy of the database in a journal file. Numbers the rows in the
/// order in which they are added, and links each row to the preceding row of its session. The journal is called the result.
///
/// Of the daemon's own rows, only rows with the text of a flow are kept. In particular, rows that record a new owner of a shard
/// are left out. In one journal, each of these rows would count as a restart and stop the timers of all sessions. Damage is
/// preserved: a row that is damaged in its shard is also damaged in the result. The link of a row whose preceding row is
/// missing does not match in the result either.
struct ShardMerger {
    /// A chain of linked rows: the rows of one session, or the daemon's own rows.
    private struct Chain: Hashable {
        /// The number of the shard; `noShard` for the daemon's own rows of all shards, which are one chain.
        let shard: Int
        /// Empty for the daemon's own rows.
        let session: String
        static let noShard = -1
    }

    /// The position of the newest row of each chain, in its shard and in the result.
    private var newest: [Chain: (inShard: JournalPosition, inResult: JournalPosition)] = [:]
    /// The bodies of the added rows that contain the text of a flow. The result contains each text only once.
    private var texts: Set<[UInt8]> = []
    /// The position up to which old rows were removed, by shard.
    private let prunedByShard: [Int: Int]
    /// The position in the result that stands for all rows that were removed from the shards: 1 if rows were removed, else 0.
    /// The first row of the result has the next position.
    let pruned: Int
    /// The position of the newest row of the result.
    private var position: Int

    /// `prunedByShard` is the position up to which old rows were removed, by shard; 0 if none were removed.
    init(pruned prunedByShard: [Int: Int]) {
        self.prunedByShard = prunedByShard
        pruned = prunedByShard.values.contains { $0 > 0 } ? 1 : 0
        position = pruned
    }

    /// Adds a row of a shard. Returns the row of the result; nil if the row is left out.
    mutating func add(_ row: JournalRow, of shard: Int) -> JournalRow? {
        if row.kind == .daemon, row.hasValidChecksum {
            // Of the daemon's own rows, only those with the text of a flow are added.
            let isNewText = row.seq == SessionRecord.textSeq && texts.insert(row.body).inserted
            guard isNewText else { return nil }
        }
        if row.kind == .forgotten { return erasure(row) }
        let chain = Chain(
            shard: row.hasNoSession ? Chain.noShard : shard, session: row.session)
        position += 1
        let previous = previous(of: row, in: chain, shard)
        let new = row.moved(to: position, after: previous)
        newest[chain] = (row.journalPosition, new.journalPosition)
        guard !row.hasValidChecksum else { return new }
        // The row was damaged in the shard: with a wrong checksum it is damaged in the result too.
        return row.moved(to: position, after: previous, checksum: ~new.checksum)
    }

    /// Returns the result's row for a row that records an erasure. In a shard, the row lists the positions of the erased rows.
    /// The positions in the result have no gaps, so the list is empty in the result. Two values are not changed: the number of
    /// changes (`pos`), and how often sessions of the erased name had been opened. Nil if the row is damaged.
    private mutating func erasure(_ row: JournalRow) -> JournalRow? {
        guard row.hasValidChecksum, let record = try? row.record(),
            case .forgotten(let forgotten) = record.body
        else { return nil }
        position += 1
        let body = SessionRecord.Body.forgotten(.init([], openings: forgotten.openings))
        return JournalRow(
            SessionRecord(body, session: nil, seq: 0, at: record.at, pos: record.pos),
            at: position, after: .start)
    }

    /// The link with which a row of a shard refers to the preceding row of its chain in the result. The link does not match if
    /// the preceding row is missing or has changed.
    private func previous(of row: JournalRow, in chain: Chain, _ shard: Int) -> JournalPosition {
        if row.hasNoSession { return newest[chain]?.inResult ?? .start }
        if row.previous == .start { return .start }
        guard let positions = newest[chain] else {
            // The preceding row was not added: either it was removed with the old rows, or it is missing. `JournalScan` accepts
            // a link to `pruned`, but not a link of a row to itself.
            let wasPruned = row.previous.position <= prunedByShard[shard] ?? 0
            return JournalPosition(
                position: wasPruned ? pruned : position, checksum: row.previous.checksum)
        }
        return positions.inShard == row.previous
            ? positions.inResult
            : JournalPosition(
                position: positions.inResult.position, checksum: ~positions.inResult.checksum)
    }
}
