internal import Journal
internal import Sessions

/// Makes the rows of several shards of those of one journal: numbers them in each shard, and links
/// each one to its session's row before it.
///
/// The daemon's own rows, its starts and the texts of flows, go to each shard that has rows by then,
/// or later gets some: each shard is a journal of its own.
struct ShardSplit {
    private struct Shard {
        var position: Int
        var last: [String: JournalPosition] = [:]
    }

    private var shards: [Int32: Shard] = [:]
    private let shardOf: (String) -> Int
    /// The texts of flows so far.
    private var texts: [JournalRow] = []
    /// The position in each shard up to which rows are missing, because they were removed.
    let pruned: Int
    /// The number of rows in all shards.
    private(set) var count = 0

    init(hasPruned: Bool, shardOf: @escaping (String) -> Int) {
        (pruned, self.shardOf) = (hasPruned ? 1 : 0, shardOf)
    }

    /// The position of the newest row of each shard.
    var heads: [Int32: Int] { shards.mapValues(\.position) }

    /// The rows of the shards, by shard.
    mutating func take(_ rows: [JournalRow]) -> [WriteQueue.Part] {
        var parts: [Int32: [JournalRow]] = [:]
        for row in rows {
            switch row.kind {
            // The erased rows are not there; the others are numbered without gaps.
            case .forgotten: continue
            case .daemon:
                if row.seq == SessionRecord.textSeq { texts.append(row) }
                for shard in shards.keys { add(row, to: shard, &parts) }
            default:
                let shard = Int32(clamping: shardOf(row.session))
                if shards[shard] == nil {
                    shards[shard] = Shard(position: pruned)
                    for text in texts { add(text, to: shard, &parts) }
                }
                add(row, to: shard, &parts)
            }
        }
        return parts.sorted { $0.key < $1.key }.map {
            WriteQueue.Part(shard: $0.key, rows: $0.value)
        }
    }

    private mutating func add(
        _ row: JournalRow, to number: Int32, _ parts: inout [Int32: [JournalRow]]
    ) {
        guard var shard = shards[number] else { return }
        shard.position += 1
        let isFirst = row.previous == .start && !row.isOfNoSession
        let removed =
            pruned > 0 && !row.isOfNoSession
            ? JournalPosition(position: pruned, checksum: row.previous.checksum) : .start
        let previous = isFirst ? .start : shard.last[row.session] ?? removed
        let new = JournalRow(
            restored: row.kind, shard.position, row.session, row.seq, row.atNs, row.id, row.body,
            after: previous, checksum: nil)
        shard.last[row.session] = new.mark
        shards[number] = shard
        parts[number, default: []].append(new)
        count += 1
    }
}
