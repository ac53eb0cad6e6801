package import Journal
import Sessions

/// Sample rows for tests of journals and stores.
package enum SampleRows {
    /// Rows that alternate between the sessions `odd` and `even`, each chained to the previous row of its session.
    package static func rows(_ positions: ClosedRange<Int>) -> [JournalRow] {
        var newest: [String: JournalPosition] = [:]
        return positions.map { position in
            let session = position % 2 == 0 ? "even" : "odd"
            let id =
                position % 5 == 0 ? JournalRow.RequestID("k\(position)", number: position) : nil
            let row = JournalRow(
                position: position, session: session, seq: (position + 1) / 2,
                atNs: Int64(position) * 1000, id: id,
                body: Array("row \(position) \u{0} é".utf8), after: newest[session] ?? .start)
            newest[session] = row.journalPosition
            return row
        }
    }
}
