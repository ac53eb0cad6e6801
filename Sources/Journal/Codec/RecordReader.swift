package import Sessions
internal import Timers

/// Decodes the records of rows. Use one reader for many rows: it caches values that the rows have in common. With a new reader
/// for each record, decoding takes three times as long.
package struct RecordReader {
    private var reader = BodyReader()

    package init() {}

    /// The record of a row with this head and body.
    package mutating func record(_ head: RowHead, _ body: Span<UInt8>) throws(UnreadableRowError)
        -> SessionRecord
    {
        try Self.record(head) { (session) throws(UnreadableRowError) in
            try read(body, head, session)
        }
    }

    /// The record of a row with this head. `read` decodes the body of a row of the given session: the `pos` of the daemon's
    /// newest change, and the content of the record.
    package static func record(
        _ head: RowHead,
        _ read: (SessionName?) throws(UnreadableRowError) -> (
            pos: Int, content: SessionRecord.Body
        )
    ) throws(UnreadableRowError) -> SessionRecord {
        guard head.isInRange else { throw UnreadableRowError(why: Self.invalidHeadText) }
        var name: SessionName?
        // Rows of these two kinds belong to no session.
        if head.kind != .daemon, head.kind != .forgotten {
            name = SessionName(head.session)
            guard name != nil else { throw UnreadableRowError(why: Self.invalidHeadText) }
        }
        let (pos, content) = try read(name)
        let record = SessionRecord(
            content, session: name, seq: head.seq, at: Instant(nanoseconds: head.atNs),
            pos: pos, id: head.id?.text, idNumber: head.id?.number ?? 0,
            position: head.position)
        guard record.kind == head.kind else { throw UnreadableRowError(why: Self.wrongKindText) }
        return record
    }

    /// The front of a body; nil if the body has none.
    package mutating func front(_ body: Span<UInt8>) throws(UnreadableRowError) -> RowFront? {
        try read(body) { (front, _) throws(UnreadableRowError) in front }
    }

    /// The name of the session's flow, which follows the front; nil if the body has no front, or another field follows.
    package mutating func flow(_ body: Span<UInt8>) throws(UnreadableRowError) -> String? {
        try read(body) { (_, reader) throws(UnreadableRowError) in
            guard let (field, isLengthDelimited) = try reader.field(.third), field == .flow,
                isLengthDelimited
            else { return nil }
            _ = try reader.beginLengthDelimitedField()
            return try reader.string()
        }
    }

    /// Reads the front of a body, and calls `next` with it and the reader of what follows; nil if the body has no front.
    private mutating func read<Result>(
        _ body: Span<UInt8>,
        _ next: (RowFront, inout BodyReader) throws(UnreadableRowError) -> Result?
    ) throws(UnreadableRowError) -> Result? {
        try body.withUnsafeBufferPointer { (bytes) throws(UnreadableRowError) in
            guard bytes.first == RowFormat.third.rawValue else { return nil }
            return try reader.read(bytes) { (reader) throws(UnreadableRowError) in
                _ = try reader.byte()
                guard let kind = BodyKind(rawValue: try reader.byte()), kind.hasFront else {
                    return nil
                }
                return try next(try reader.front(), &reader)
            }
        }
    }

    /// The record of a row; nil if the row is damaged or cannot be read. This is for callers that leave out damaged and
    /// unreadable rows.
    package mutating func record(ifUndamaged row: JournalRow) -> SessionRecord? {
        row.flaw == nil ? try? record(row.head, row.body.span) : nil
    }

    /// The text of the error for a row whose numbers are out of range, or whose session name is invalid.
    static let invalidHeadText = "its numbers or its name are invalid"

    /// The text of the error for a row whose body is of another kind than its head.
    static let wrongKindText = "its kind differs from the kind in its body"

    /// Decodes a body: the `pos` of the daemon's newest change, and the content of the record.
    private mutating func read(
        _ body: Span<UInt8>, _ head: RowHead, _ session: SessionName?
    ) throws(UnreadableRowError) -> (pos: Int, content: SessionRecord.Body) {
        try body.withUnsafeBufferPointer { (bytes) throws(UnreadableRowError) in
            try reader.read(bytes) { (reader) throws(UnreadableRowError) in
                let parts = try BodyParts.read(&reader)
                let pos = try parts.count(.pos)
                return (pos, try SessionRecord.Body(parts, head, session, pos: pos))
            }
        }
    }
}
