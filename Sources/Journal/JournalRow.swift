internal import CZlib
public import Sessions
internal import Timers

/// One row of the journal: a record with its position, linked to the preceding row of its session.
///
/// The checksum covers the row. It also covers the position and the checksum of the session's preceding row. Therefore a
/// changed, lost or moved row is detected.
public struct JournalRow: Equatable, Sendable {
    public typealias Kind = SessionRecord.Kind

    /// The id of the request that caused the row, and its number among the session's requests with
    /// an id, from 1.
    public struct RequestID: Equatable, Sendable {
        public let text: String
        public let number: Int

        public init(_ text: String, number: Int) { (self.text, self.number) = (text, number) }
    }

    public let kind: Kind
    /// The number of the row in the journal, from 1; without gaps while no rows were removed.
    public let position: Int
    /// The session's name; empty if the row belongs to no session.
    public let session: String
    /// The number of the session's changes up to and including this row.
    public let seq: Int
    /// The time of the record, in nanoseconds of the daemon's clock.
    public let atNs: Int64
    /// Nil if no request with an id caused the row.
    public let id: RequestID?
    /// The record, encoded by `BodyWriter`.
    public let body: [UInt8]
    /// The position and the checksum of the session's preceding row; `.start` if there is none.
    public let previous: JournalPosition
    public let checksum: UInt32
    /// Whether the checksum matches the content.
    public let hasValidChecksum: Bool

    /// Encodes a record as a row in a format. `previous` is its session's preceding row.
    public init(
        _ record: SessionRecord, at position: Int, after previous: JournalPosition,
        in format: RowFormat = .newest
    ) {
        self.init(
            record.kind, position: position, session: record.session?.text ?? "", seq: record.seq,
            atNs: record.at.nanoseconds,
            id: record.id.map { RequestID($0, number: record.idNumber) },
            body: BodyWriter.body(of: record, in: format), after: previous)
    }

    /// Creates a row. `previous` is the session's preceding row. `checksum` is the stored checksum of a row that was read; nil
    /// for a new row, whose checksum is computed.
    public init(
        _ kind: Kind = .change, position: Int, session: String, seq: Int, atNs: Int64,
        id: RequestID? = nil, body: [UInt8], after previous: JournalPosition,
        checksum: UInt32? = nil
    ) {
        (self.kind, self.position, self.session, self.seq) = (kind, position, session, seq)
        (self.atNs, self.id, self.body, self.previous) = (atNs, id, body, previous)
        let computed = Self.checksum(kind, position, session, seq, atNs, id, body, previous)
        self.checksum = checksum ?? computed
        hasValidChecksum = self.checksum == computed
    }

    /// The same row at another position of another journal. `previous` is the session's preceding row there. If `checksum` is
    /// nil, it is computed.
    package func moved(
        to position: Int, after previous: JournalPosition, checksum: UInt32? = nil
    ) -> JournalRow {
        JournalRow(
            kind, position: position, session: session, seq: seq, atNs: atNs, id: id, body: body,
            after: previous, checksum: checksum)
    }

    /// The encoded body of a record.
    package static func body(of record: SessionRecord, in format: RowFormat = .newest) -> [UInt8] {
        BodyWriter.body(of: record, in: format)
    }

    /// The greatest number that a row may contain; no journal reaches it.
    public static let greatestNumber = 1 << 53

    /// Whether the numbers are in the range that the daemon writes. An addition to a number in this range cannot overflow. The
    /// checksum does not guarantee the range.
    public var isInRange: Bool {
        0...Self.greatestNumber ~= previous.position
            && RowHead.areInRange(
                position: position, seq: seq, atNs: atNs, idNumber: id?.number ?? 0)
    }

    /// A text that describes the damage of the row itself; nil if the content of the row can be trusted.
    public var flaw: String? {
        if !hasValidChecksum { return "its checksum is wrong" }
        return isInRange ? nil : "its numbers are out of range"
    }

    /// The position and checksum that the session's next row links to.
    public var journalPosition: JournalPosition {
        JournalPosition(position: position, checksum: checksum)
    }

    /// The numbers and names of the row.
    package var head: RowHead {
        RowHead(
            kind, position: position, session: session, seq: seq, atNs: atNs, id: id)
    }

    /// Whether the numbers are in range, and the name of the session, if the row belongs to one, is valid. The body may be
    /// damaged nevertheless.
    public var isReadable: Bool {
        isInRange && (hasNoSession || SessionName(session) != nil)
    }

    /// Whether the row belongs to no session.
    public var hasNoSession: Bool { kind == .daemon || kind == .forgotten }

    /// Decodes the record.
    public func record() throws(UnreadableRowError) -> SessionRecord {
        guard isInRange else { throw UnreadableRowError(why: RecordReader.invalidHeadText) }
        var reader = RecordReader()
        return try reader.record(head, body.span)
    }

    /// Decodes only the front of the body. Nil if the body has none: the row is not a row about a session's state, or its
    /// format is older than the third.
    public func front() throws(UnreadableRowError) -> RowFront? {
        var reader = RecordReader()
        return try reader.front(body.span)
    }

    /// The CRC-32 of the row's numbers, the lengths of its texts, the texts, and the body. Wraps `crc32_z` of zlib.
    private static func checksum(
        _ kind: Kind, _ position: Int, _ session: String, _ seq: Int, _ atNs: Int64,
        _ id: RequestID?, _ body: [UInt8], _ previous: JournalPosition
    ) -> UInt32 {
        let numbers: InlineArray<9, Int64> = [
            Int64(kind.rawValue).littleEndian, Int64(position).littleEndian,
            Int64(seq).littleEndian, atNs.littleEndian, Int64(previous.position).littleEndian,
            Int64(previous.checksum).littleEndian, Int64(id?.number ?? 0).littleEndian,
            Int64(session.utf8.count).littleEndian, Int64(id?.text.utf8.count ?? 0).littleEndian,
        ]
        var texts = (session: session, id: id?.text ?? "")
        // The fields are copied to one buffer, because zlib takes twice as long for several short buffers.
        let numbersByteCount = MemoryLayout<InlineArray<9, Int64>>.size
        let (sessionByteCount, idByteCount) = (texts.session.utf8.count, texts.id.utf8.count)
        return withUnsafeTemporaryAllocation(
            byteCount: numbersByteCount + sessionByteCount + idByteCount + body.count,
            alignment: MemoryLayout<Int64>.alignment
        ) { bytes in
            let afterNumbers = UnsafeMutableRawBufferPointer(
                rebasing: bytes[numbersByteCount...])
            let afterSession = UnsafeMutableRawBufferPointer(
                rebasing: afterNumbers[sessionByteCount...])
            let afterID = UnsafeMutableRawBufferPointer(rebasing: afterSession[idByteCount...])
            withUnsafeBytes(of: numbers) { bytes.copyMemory(from: $0) }
            texts.session.withUTF8 { afterNumbers.copyMemory(from: UnsafeRawBufferPointer($0)) }
            texts.id.withUTF8 { afterSession.copyMemory(from: UnsafeRawBufferPointer($0)) }
            body.withUnsafeBytes { afterID.copyMemory(from: $0) }
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
        }
    }
}

/// The numbers and names of a row: everything except the body, the checksum and the link to the preceding row. The properties
/// have the same meanings as in `JournalRow`.
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

    /// Whether the numbers are in the range that the daemon writes. An addition to a number in this range cannot overflow.
    var isInRange: Bool {
        Self.areInRange(position: position, seq: seq, atNs: atNs, idNumber: id?.number ?? 0)
    }

    static func areInRange(position: Int, seq: Int, atNs: Int64, idNumber: Int) -> Bool {
        1...JournalRow.greatestNumber ~= position && 0...JournalRow.greatestNumber ~= seq
            && 0...Instant.last.nanoseconds ~= atNs && 0...JournalRow.greatestNumber ~= idNumber
    }
}
