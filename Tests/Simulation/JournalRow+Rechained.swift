import Journal
import Sessions

extension [JournalRow] {
    /// The rows with new checksums, each chained to the row before it of its session, so that no damage is detected.
    var rechained: [JournalRow] {
        var last: [String: JournalPosition] = [:]
        return map { row in
            let previous = row.previous == .start ? .start : last[row.session] ?? row.previous
            let whole = JournalRow(
                restored: row.kind, row.position, row.session, row.seq, row.atNs, row.id, row.body,
                after: previous, checksum: nil)
            last[row.session] = whole.journalPosition
            return whole
        }
    }
}
