import GameFlow
import Journal
import Sessions

/// Invariants of the rows of every journal.
enum RowInvariants {
    static func check(_ rows: [JournalRow], _ journal: JournalReader) throws(InvariantViolation) {
        try checkPositions(rows)
        try checkNumbers(journal)
        try checkIDs(journal)
    }

    private static func checkPositions(_ rows: [JournalRow]) throws(InvariantViolation) {
        var scan = JournalScan()
        for (index, row) in rows.enumerated() {
            try expect(
                row.position == index + 1, "row \(row.position) is at index \(index + 1)")
            scan.add(row)
        }
        try expect(
            scan.damage.isEmpty,
            "rows are damaged, but no damage was injected: \(scan.damage.first.map { "\($0)" } ?? "")"
        )
    }

    /// The `seq` of a session has no gaps after its opening, and the `pos` of the journal has no gaps.
    private static func checkNumbers(_ journal: JournalReader) throws(InvariantViolation) {
        for (session, rows) in journal.rowsBySession.sorted(by: { $0.key < $1.key }) {
            var seq = 0
            for readRow in rows {
                if readRow.row.previous == .start { seq = 0 }
                let expected = readRow.row.kind == .change ? seq + 1 : seq
                try expect(
                    readRow.row.seq == expected,
                    "\(session): row \(readRow.row.position) has the number \(readRow.row.seq), not \(expected)"
                )
                seq = readRow.row.seq
            }
        }
        for pos in 0..<journal.lastPos {
            try expect(
                journal.change(at: pos + 1) != nil,
                "there is no change with the position \(pos + 1)")
        }
    }

    /// No request id has caused two changes.
    private static func checkIDs(_ journal: JournalReader) throws(InvariantViolation) {
        for (session, rows) in journal.rowsBySession.sorted(by: { $0.key < $1.key }) {
            var seen: Set<String> = []
            for readRow in rows {
                if readRow.row.previous == .start { seen = [] }
                guard let id = readRow.row.id?.text else { continue }
                try expect(seen.insert(id).inserted, "\(session): \(id) was done twice")
            }
        }
    }
}
