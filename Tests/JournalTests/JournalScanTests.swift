import Journal
import Support
import Testing

@Suite struct JournalScanTests {
    private func scan(_ rows: [JournalRow], pruned: Int64 = 0) -> JournalScan {
        var scan = JournalScan(pruned: pruned)
        for row in rows { scan.take(row) }
        return scan
    }

    /// The row with some of it changed, and its checksum as it was.
    private func damaged(_ row: JournalRow, _ random: inout SeededRandom) -> JournalRow {
        var (session, seq, at, body, previous) =
            (row.session, row.seq, row.atNs, row.body, row.previous)
        switch random.below(5) {
        case 0: session = session == "odd" ? "odb" : "evem"
        case 1: seq ^= 1 << Int64(random.below(60))
        case 2: at ^= 1 << Int64(random.below(60))
        case 3: body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        default:
            previous = JournalRow.Link(
                position: previous.position, checksum: previous.checksum ^ 1 << 7)
        }
        return JournalRow(
            restored: row.kind, row.position, session, seq, at, row.id, body, after: previous,
            checksum: row.checksum)
    }

    @Test(arguments: seeds(200)) func `a row that was changed, lost or moved is found`(
        _ seed: UInt64
    ) {
        var random = SeededRandom(seed)
        let rows = JournalFileTests.rows(1...40)
        #expect(scan(rows).damage.isEmpty)
        let place = random.below(rows.count - 4)
        var lost = rows
        lost.remove(at: place)
        // Without a session's first row, the next one has none before it all the same.
        #expect(scan(lost).untrusted.keys.contains(rows[place].session))
        var moved = rows
        moved.swapAt(place, place + 2)
        #expect(!scan(moved).damage.isEmpty)
        var changed = rows
        changed[place] = damaged(rows[place], &random)
        let found = scan(changed)
        #expect(found.untrusted.keys.contains(changed[place].session))
        // The session that it belongs to is known by the row before it.
        if place > 1 { #expect(found.untrusted.keys.contains(rows[place].session)) }
        let other = rows[place].session == "odd" ? "even" : "odd"
        #expect(found.untrusted[other] == nil)
    }

    @Test func `a session's newest row cannot be lost unnoticed`() {
        let rows = JournalFileTests.rows(1...40)
        #expect(scan(rows).lost == 0)
        for place in [38, 37, 30] {
            var fewer = rows
            fewer.remove(at: place)
            let found = scan(fewer)
            // A later row of its session says that it was there; behind its newest there is none.
            #expect(
                found.lost == (place == 38 ? 1 : 0)
                    && found.untrusted.count == (place == 38 ? 0 : 1))
        }
        #expect(scan(Array(rows[20...]), pruned: 20).lost == 0)
        #expect(scan(Array(rows[22...]), pruned: 20).lost == 0, "later rows speak of both")
    }

    @Test func `a position that cannot be is damage, and leads nowhere`() {
        for position in [Int64.max, 1 << 62, 99] {
            var rows = JournalFileTests.rows(1...10)
            let row = rows[5]
            rows[5] = JournalRow(
                restored: row.kind, position, row.session, row.seq, row.atNs, row.id, row.body,
                after: row.previous, checksum: row.checksum)
            let found = scan(rows)
            #expect(found.head == 10 && found.untrusted.keys.contains("even"))
        }
    }

    @Test func `a session that was opened anew can be trusted again`() {
        var rows = JournalFileTests.rows(1...10)
        rows.remove(at: 4)
        #expect(scan(rows).untrusted.keys.sorted() == ["odd"])
        rows.append(
            JournalRow(position: 11, session: "odd", seq: 1, atNs: 9, body: [1], after: .start))
        let found = scan(rows)
        #expect(found.untrusted.isEmpty && found.damage.count == 1)
        #expect(found.head == 11 && found.count == 10 && found.sessions == 2)
    }

    @Test func `a mark is read as it was written, and the newer one of two`() throws {
        let folder = Folder()
        let file = try #require(MarkFile(folder.path))
        #expect(MarkFile.look(in: folder.path) == nil)
        for n in 1...5 as ClosedRange<Int64> {
            let mark = HighWaterMark(position: n * 3, atNs: n * 1_000_000_000)
            file.write(mark)
            #expect(MarkFile.look(in: folder.path) == mark)
        }
        _ = try #require(MarkFile(folder.path))
        #expect(MarkFile.look(in: folder.path) == HighWaterMark(position: 15, atNs: 5_000_000_000))
    }
}
