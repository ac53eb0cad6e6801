internal import Journal
internal import Sessions
internal import TestSupport

/// Makes the rows of a batch.
enum RowMaker {
    /// The sessions of the rows.
    static let sessions = ["anna", "ben", "chloé"]

    /// New rows after the existing ones, each chained to the previous row of its session.
    static func batch(
        _ sizes: [Int], after acknowledged: [JournalRow], _ random: inout SeededRandom
    ) -> [JournalRow] {
        var rows = acknowledged
        for size in sizes {
            let session = random.pick(sessions)
            let previous = rows.last { $0.session == session }
            rows.append(
                JournalRow(
                    position: rows.count + 1, session: session, seq: (previous?.seq ?? 0) + 1,
                    atNs: Int64(random.below(1_000_000_000)), body: body(size, &random),
                    after: previous?.journalPosition ?? .start))
        }
        return Array(rows[acknowledged.count...])
    }

    private static func body(_ size: Int, _ random: inout SeededRandom) -> [UInt8] {
        let start = random.next()
        return (0..<size).map { UInt8(truncatingIfNeeded: start &+ UInt64($0) &* 7) }
    }

    /// Whether the checksum of each row is correct, and each row is chained to the previous row of its session.
    static func areIntact(_ rows: [JournalRow]) -> Bool {
        var newest: [String: JournalPosition] = [:]
        return rows.allSatisfy { row in
            defer { newest[row.session] = row.journalPosition }
            return row.hasValidChecksum && row.previous == newest[row.session] ?? .start
        }
    }
}
