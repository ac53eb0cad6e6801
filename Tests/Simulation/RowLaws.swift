import GameFlow
import Journal
import Sessions

/// What must hold of the rows alone, whatever happened.
enum RowLaws {
    static func check(_ rows: [JournalRow], _ books: JournalReader) throws(InvariantViolation) {
        try positions(rows)
        try numbers(books)
        try ids(books)
    }

    private static func positions(_ rows: [JournalRow]) throws(InvariantViolation) {
        var scan = JournalScan()
        for (place, row) in rows.enumerated() {
            try expect(
                row.position == place + 1, "row \(row.position) stands at place \(place + 1)")
            scan.take(row)
        }
        try expect(
            scan.damage.isEmpty,
            "damage nobody has done: \(scan.damage.first.map { "\($0)" } ?? "")")
    }

    /// Numbers have no gap: of each session from its opening on, and of the daemon.
    private static func numbers(_ books: JournalReader) throws(InvariantViolation) {
        for (session, entries) in books.entries.sorted(by: { $0.key < $1.key }) {
            var seq = 0
            for entry in entries {
                if entry.row.previous == .start { seq = 0 }
                let expected = entry.row.kind == .change ? seq + 1 : seq
                try expect(
                    entry.row.seq == expected,
                    "\(session): row \(entry.row.position) has the number \(entry.row.seq), not \(expected)"
                )
                seq = entry.row.seq
            }
        }
        for pos in 0..<books.lastPos {
            try expect(
                books.change(pos + 1) != nil, "there is no change with the position \(pos + 1)")
        }
    }

    /// No request with an id has led to two changes of its own.
    private static func ids(_ books: JournalReader) throws(InvariantViolation) {
        for (session, entries) in books.entries.sorted(by: { $0.key < $1.key }) {
            var seen: Set<String> = []
            for entry in entries {
                if entry.row.previous == .start { seen = [] }
                guard let id = entry.row.id?.text else { continue }
                try expect(seen.insert(id).inserted, "\(session): \(id) was done twice")
            }
        }
    }
}
