internal import Journal
internal import Sessions

/// Splits the rows of one journal into the rows of several shards, for the import of a journal file into a database. Numbers
/// the rows in each shard, and links each row to the preceding row of its session.
///
/// Each shard is a journal of its own. So the row of a start of the daemon is copied to all shards that have
/// rows by then. The row with a flow's text is also copied to shards that get their first row later.
struct ShardSplitter {
    private struct Shard {
        /// The position of the shard's newest row.
        var position: Int
        /// The position of the newest row of each session. The daemon's own rows have the key "".
        var newest: [String: JournalPosition] = [:]
    }

    private var shards: [Int32: Shard] = [:]
    private let shardOf: (String) -> Int
    /// The added rows that contain the text of a flow.
    private var textRows: [JournalRow] = []
    /// The position that stands for all removed rows in each shard: 1 if old rows of the journal were removed, else 0. The
    /// first row of a shard has the next position.
    let pruned: Int
    /// The number of rows of all shards together.
    private(set) var count = 0

    /// `hasPruned` says whether old rows of the journal were removed. `shardOf` returns the number of the shard of the session
    /// with the given name.
    init(hasPruned: Bool, shardOf: @escaping (String) -> Int) {
        (pruned, self.shardOf) = (hasPruned ? 1 : 0, shardOf)
    }

    /// The position of the newest row of each shard.
    var newestPositions: [Int32: Int] { shards.mapValues(\.position) }

    /// Adds the next rows of the journal. Returns the new rows of the shards, by shard.
    mutating func add(_ rows: [JournalRow]) -> [WriteQueue.Part] {
        var parts: [Int32: [JournalRow]] = [:]
        for row in rows {
            switch row.kind {
            // A row that records an erasure explains gaps between positions. The shards' rows are numbered without gaps.
            case .forgotten: continue
            case .daemon:
                if row.seq == SessionRecord.textSeq { textRows.append(row) }
                for shard in shards.keys { add(row, to: shard, &parts) }
            default:
                let shard = Int32(clamping: shardOf(row.session))
                if shards[shard] == nil {
                    shards[shard] = Shard(position: pruned)
                    for textRow in textRows { add(textRow, to: shard, &parts) }
                }
                add(row, to: shard, &parts)
            }
        }
        return parts.sorted { $0.key < $1.key }.map {
            WriteQueue.Part(shard: $0.key, rows: $0.value)
        }
    }

    /// Adds a row to the shard `number`, and the new row to `parts`.
    private mutating func add(
        _ row: JournalRow, to number: Int32, _ parts: inout [Int32: [JournalRow]]
    ) {
        guard var shard = shards[number] else { return }
        shard.position += 1
        let isFirstOfSession = row.previous == .start && !row.hasNoSession
        // The link of a session's oldest row in the journal, if earlier rows of the session were removed.
        let removedRow =
            pruned > 0 && !row.hasNoSession
            ? JournalPosition(position: pruned, checksum: row.previous.checksum) : .start
        let previous = isFirstOfSession ? .start : shard.newest[row.session] ?? removedRow
        let new = row.moved(to: shard.position, after: previous)
        shard.newest[row.session] = new.journalPosition
        shards[number] = shard
        parts[number, default: []].append(new)
        count += 1
    }
}
