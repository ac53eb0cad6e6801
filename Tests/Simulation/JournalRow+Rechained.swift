import Journal
import Sessions

extension [JournalRow] {
    /// The rows with new checksums. Each row is chained to the previous row of its session, so that no damage is detected.
    var rechained: [JournalRow] {
        var newest: [String: JournalPosition] = [:]
        return map { row in
            let previous = row.previous == .start ? .start : newest[row.session] ?? row.previous
            let rechainedRow = JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: row.atNs, id: row.id, body: row.body,
                after: previous, checksum: nil)
            newest[row.session] = rechainedRow.journalPosition
            return rechainedRow
        }
    }
}
