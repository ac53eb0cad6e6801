import GameFlow
import Journal
import Sessions
import TestSupport
import Testing
import Timers

/// `RecordReader`, which caches the texts that rows have in common.
@Suite struct RecordReaderTests {
    /// The record that a reader reads from a row, or the error.
    private func read(_ row: JournalRow, by reader: inout RecordReader) -> Result<
        SessionRecord, UnreadableRowError
    > {
        do throws(UnreadableRowError) {
            return .success(try reader.record(row.head, row.body.span))
        } catch { return .failure(error) }
    }

    @Test(arguments: seeds(60, long: 3000))
    func `the record that is read from a row does not depend on the rows before it`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        var maker = RecordMaker(seed)
        let rows = (0..<20).map { _ in
            let record = maker.record()
            return JournalRow(record, at: record.position ?? 1, after: .start)
        }
        var reader = RecordReader()
        for _ in 0..<100 {
            let row = rows[random.below(rows.count)]
            var body = row.body
            if random.below(3) == 0 {
                body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
            }
            let changed = JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: row.atNs, id: row.id, body: body, after: row.previous)
            var newReader = RecordReader()
            let (found, expected) = (read(changed, by: &reader), read(changed, by: &newReader))
            switch (found, expected) {
            case (.success(let found), .success(let expected)):
                // Compares the bytes, too: equal texts may have different bytes.
                #expect(found == expected, "seed \(seed)")
                let encoded = JournalRow(found, at: row.position, after: .start)
                #expect(
                    encoded.body == JournalRow(expected, at: row.position, after: .start).body,
                    "seed \(seed)")
            case (.failure(let found), .failure(let expected)):
                #expect(found.why == expected.why, "seed \(seed)")
            default: Issue.record("seed \(seed): \(found), but a new reader reads \(expected)")
            }
        }
    }

    @Test func `texts that are canonically equal but have different bytes are distinguished`()
        throws
    {
        let texts = [
            "\u{E9}", "e\u{301}", "\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}\u{E9}",
        ]
        var reader = RecordReader()
        for text in texts + texts.reversed() {
            // The state's name is encoded as a reference to the equal name of the flow.
            let step = Step(.open, from: .timer, nil, StateRecord(text))
            let change = Change(
                SessionName("a")!, seq: 1, pos: 1, entry: 1, previous: 0, at: .zero, step,
                view: nil)
            let status = SessionRecord.Status(
                change, flow: text, openedAt: .zero,
                machine: MachineRecord(place: StateRecord(text), timers: [], waiting: []))
            let record = SessionRecord(status, position: 1)
            let row = JournalRow(record, at: 1, after: .start)
            let found = try reader.record(row.head, row.body.span)
            let (state, flow) = (found.change?.step.to?.state ?? "", found.status?.flow ?? "")
            #expect(Array(state.utf8) == Array(text.utf8))
            #expect(Array(flow.utf8) == Array(text.utf8))
        }
    }
}
