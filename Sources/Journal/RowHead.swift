package import Sessions
internal import Timers

/// The numbers and names of a row: what there is of it beside its body and what ties it to others.
package struct RowHead: Sendable {
    package let kind: SessionRecord.Kind
    package let position: Int
    package let session: String
    package let seq: Int
    package let atNs: Int64
    package let id: JournalRow.RequestID?

    package init(
        _ kind: SessionRecord.Kind, position: Int, session: String, seq: Int, atNs: Int64,
        id: JournalRow.RequestID?
    ) {
        (self.kind, self.position, self.session, self.seq) = (kind, position, session, seq)
        (self.atNs, self.id) = (atNs, id)
    }

    /// Whether its numbers are such as are written: far from where adding to one would overflow.
    var isInRange: Bool {
        Self.areInRange(position: position, seq: seq, atNs: atNs, idNumber: id?.number ?? 0)
    }

    static func areInRange(position: Int, seq: Int, atNs: Int64, idNumber: Int) -> Bool {
        1...JournalRow.most ~= position && 0...JournalRow.most ~= seq
            && 0...Instant.last.nanoseconds ~= atNs && 0...JournalRow.most ~= idNumber
    }
}
