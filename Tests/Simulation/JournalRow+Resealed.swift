import Journal
import Sessions

extension [JournalRow] {
    /// The rows as somebody sees them who looks at no checksum: each with a new one, and tied to the row before it of
    /// its session.
    var resealed: [JournalRow] {
        var last: [String: JournalPosition] = [:]
        return map { row in
            let previous = row.previous == .start ? .start : last[row.session] ?? row.previous
            let whole = JournalRow(
                restored: row.kind, row.position, row.session, row.seq, row.atNs, row.id, row.body,
                after: previous, checksum: nil)
            last[row.session] = whole.mark
            return whole
        }
    }
}
