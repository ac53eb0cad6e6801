import Journal
import JournalTestSupport
import Sessions
import TestSupport
import Testing

/// In `SampleRows.rows(1...40)`, the row at position N has the index N - 1. Rows at odd positions belong to the session `odd`,
/// and rows at even positions to `even`. Each row is chained to the previous row of its session.
@Suite struct JournalScanTests {
    private func scan(_ rows: [JournalRow], prunedUpTo pruned: Int = 0) -> JournalScan {
        var scan = JournalScan(prunedUpTo: pruned)
        for row in rows { scan.add(row) }
        return scan
    }

    /// The row with one field changed, and the old checksum.
    private func damaged(_ row: JournalRow, _ random: inout SeededRandom) -> JournalRow {
        var (session, seq, at, body, previous) =
            (row.session, row.seq, row.atNs, row.body, row.previous)
        switch random.below(5) {
        case 0: session = session == "odd" ? "odb" : "evem"
        case 1: seq ^= 1 << (random.below(60))
        case 2: at ^= 1 << Int64(random.below(60))
        case 3: body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        default:
            previous = JournalPosition(
                position: previous.position, checksum: previous.checksum ^ 1 << 7)
        }
        return JournalRow(
            row.kind, position: row.position, session: session, seq: seq, atNs: at, id: row.id,
            body: body, after: previous,
            checksum: row.checksum)
    }

    @Test(arguments: seeds(200)) func `a changed, missing or moved row is found`(
        _ seed: UInt64
    ) {
        var random = SeededRandom(seed)
        let rows = SampleRows.rows(1...40)
        #expect(scan(rows).damage.isEmpty)
        let index = random.below(rows.count - 4)
        var incomplete = rows
        incomplete.remove(at: index)
        // Even a missing first row of a session is found, because the session's next row is chained to the missing row.
        #expect(scan(incomplete).untrusted.keys.contains(rows[index].session))
        var swapped = rows
        swapped.swapAt(index, index + 2)
        #expect(!scan(swapped).damage.isEmpty)
        var changed = rows
        changed[index] = damaged(rows[index], &random)
        let found = scan(changed)
        #expect(found.untrusted.keys.contains(changed[index].session))
        // If the session's name is damaged, the scan finds the session by the previous row, to which the damaged row is
        // chained. The first row of each session is chained to no row.
        if index > 1 { #expect(found.untrusted.keys.contains(rows[index].session)) }
        let otherSession = rows[index].session == "odd" ? "even" : "odd"
        #expect(found.untrusted[otherSession] == nil)
    }

    @Test func `a missing newest row of a session is noticed`() {
        let rows = SampleRows.rows(1...40)
        #expect(scan(rows).lost == 0)
        for index in [38, 37, 30] {
            var incomplete = rows
            incomplete.remove(at: index)
            let found = scan(incomplete)
            // The row at index 38 is the newest row of `odd`. If it is missing, it is counted as lost. If the row at index 37
            // or 30 is missing, its session is untrusted instead, because the session's next row is chained to the missing row.
            #expect(
                found.lost == (index == 38 ? 1 : 0)
                    && found.untrusted.count == (index == 38 ? 0 : 1))
        }
        #expect(scan(Array(rows[20...]), prunedUpTo: 20).lost == 0)
        // Rows 21 and 22 are missing. They are not counted as lost, because the next row of each session is chained to one of
        // them.
        #expect(scan(Array(rows[22...]), prunedUpTo: 20).lost == 0)
    }

    @Test(arguments: [Int.min, -1, JournalRow.greatestNumber + 1, .max])
    func `an impossible number is damage even if the checksum matches`(_ number: Int) {
        let before = SampleRows.rows(1...9)
        let last = before.last { $0.session == "even" }?.journalPosition ?? .start
        func row(seq: Int = 5, at: Int64 = 0, id: Int? = nil) -> JournalRow {
            JournalRow(
                position: 10, session: "even", seq: seq, atNs: at,
                id: id.map { JournalRow.RequestID("k", number: $0) }, body: [], after: last)
        }
        var hostile = [row(seq: number), row(id: number)]
        // `greatestNumber + 1` is a possible instant in nanoseconds.
        if number != JournalRow.greatestNumber + 1 { hostile.append(row(at: Int64(number))) }
        for row in hostile {
            #expect(row.hasValidChecksum)
            #expect(
                scan(before + [row]).untrusted == ["even": "row 10: its numbers are out of range"])
        }
        #expect(scan(before + [row()]).untrusted.isEmpty)
    }

    @Test func `an impossible position is damage, and does not become the newest position`() {
        for position in [Int.max, 1 << 62, 99] {
            var rows = SampleRows.rows(1...10)
            let row = rows[5]
            rows[5] = JournalRow(
                row.kind, position: position, session: row.session, seq: row.seq, atNs: row.atNs,
                id: row.id, body: row.body,
                after: row.previous, checksum: row.checksum)
            let found = scan(rows)
            #expect(found.newestPosition == 10 && found.untrusted.keys.contains("even"))
        }
    }

    @Test func `a session that was opened again after damage is trusted`() {
        var rows = SampleRows.rows(1...10)
        rows.remove(at: 4)
        #expect(scan(rows).untrusted.keys.sorted() == ["odd"])
        rows.append(
            JournalRow(position: 11, session: "odd", seq: 1, atNs: 9, body: [1], after: .start))
        let found = scan(rows)
        #expect(found.untrusted.isEmpty && found.damage.count == 1)
        #expect(found.newestPosition == 11 && found.count == 10 && found.sessions == 2)
    }
}
