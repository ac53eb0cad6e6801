package import Sessions
internal import Timers

/// The numbers and names of a row: everything except the body and the link to the preceding row.
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

    /// Whether the numbers are in the range that is written, where adding to them cannot overflow.
    var isInRange: Bool {
        Self.areInRange(position: position, seq: seq, atNs: atNs, idNumber: id?.number ?? 0)
    }

    static func areInRange(position: Int, seq: Int, atNs: Int64, idNumber: Int) -> Bool {
        1...JournalRow.most ~= position && 0...JournalRow.most ~= seq
            && 0...Instant.last.nanoseconds ~= atNs && 0...JournalRow.most ~= idNumber
    }
}
