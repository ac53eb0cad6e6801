package import Journal
package import Sessions
internal import Timers

extension JournalRow {
    /// A record as a row, behind its session's last one.
    package init(_ record: SessionRecord, at position: Int, after previous: RowMark) {
        self.init(
            Kind(record.kind), position: Int64(position), session: record.session?.text ?? "",
            seq: Int64(record.seq), atNs: record.at.nanoseconds,
            id: record.id.map { RequestID($0, number: Int64(record.idNumber)) }, body: record.body,
            after: Link(position: Int64(previous.position), checksum: previous.checksum))
    }

    package var mark: RowMark { RowMark(position: Int(position), checksum: checksum) }

    /// The record that was written so; nil if the session's name is not valid or a number is out of range.
    package var record: SessionRecord? {
        let name = SessionName(session)
        guard isInRange, name != nil || kind == .daemon else { return nil }
        return SessionRecord(
            SessionRecord.Kind(kind), session: name, seq: Int(seq), at: Instant(nanoseconds: atNs),
            id: id?.text, idNumber: Int(id?.number ?? 0), position: Int(position), body: body)
    }
}

extension JournalRow.Kind {
    init(_ kind: SessionRecord.Kind) {
        self =
            switch kind {
            case .change: .change
            case .rest: .rest
            case .refusal: .refusal
            case .daemon: .daemon
            }
    }
}

extension SessionRecord.Kind {
    init(_ kind: JournalRow.Kind) {
        self = Self.allCases.first { JournalRow.Kind($0) == kind }!  // as many as there
    }
}
