import Journal
import JournalTestSupport
import Testing

@testable import PostgresStore

/// The journal that is merged from the rows of several shards.
@Suite struct ShardMergerTests {
    /// The sessions of the damaged rows that a scan finds in the merged rows. `rows` are rows with their shards; `pruned` is
    /// the position up to which old rows were removed, by shard.
    private func damagedSessions(_ rows: [(JournalRow, Int)], pruned: [Int: Int]) -> [String] {
        var merger = ShardMerger(pruned: pruned)
        // The merged rows have new positions. One position before them, `merger.pruned`, stands for all removed rows.
        var scan = JournalScan(prunedUpTo: merger.pruned)
        for (row, shard) in rows {
            if let merged = merger.add(row, of: shard) { scan.add(merged) }
        }
        return scan.damage.map(\.session)
    }

    @Test func `the rows of two shards are sound in one journal`() {
        let rows = SampleRows.rows(1...6).map { ($0, $0.session == "odd" ? 1 : 2) }
        #expect(damagedSessions(rows, pruned: [:]) == [])
    }

    @Test func `a session whose first rows were removed as old is sound`() {
        let rows = SampleRows.rows(1...6).dropFirst(3).map { ($0, 1) }
        #expect(damagedSessions(rows, pruned: [1: 3]) == [])
    }

    @Test(arguments: [[:], [2: 9]] as [[Int: Int]])
    func `missing rows at the beginning of a session are reported`(_ pruned: [Int: Int]) {
        let rows = SampleRows.rows(1...6).dropFirst(2).map { ($0, 1) }
        #expect(damagedSessions(rows, pruned: pruned) == ["odd", "even"])
    }

    @Test func `a missing row in the middle of a session is reported`() {
        var rows = SampleRows.rows(1...6).map { ($0, 1) }
        rows.remove(at: 2)
        #expect(damagedSessions(rows, pruned: [:]) == ["odd"])
    }
}
