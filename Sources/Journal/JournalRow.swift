internal import CDeflate
public import Sessions
internal import Support
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
        _ record: borrowing SessionRecord, at position: Int, after previous: JournalPosition,
        in format: RowFormat = .newest
    ) {
        var writer = BodyWriter()
        self.init(record, at: position, after: previous, in: format, with: &writer)
    }

    /// Encodes a record as a row in a format, in the memory of a writer.
    fileprivate init(
        _ record: borrowing SessionRecord, at position: Int, after previous: JournalPosition,
        in format: RowFormat, with writer: inout BodyWriter
    ) {
        let session = record.session?.text ?? ""
        let head = ChecksummedHead(
            record.kind, position, session, record.seq, record.at.nanoseconds,
            id: record.id ?? "", record.id == nil ? 0 : record.idNumber, previous)
        // The body is written directly after the head, so that it is not copied for the checksum.
        writer.write(record, in: format, after: head.byteCount) { head.write(to: $0) }
        (kind, self.position, self.session, seq) = (record.kind, position, session, record.seq)
        (atNs, self.previous) = (record.at.nanoseconds, previous)
        id = record.id.map { RequestID($0, number: record.idNumber) }
        body = writer.withBytes(from: head.byteCount) { [UInt8]($0) }
        checksum = writer.withBytes { Self.checksum($0) }
        hasValidChecksum = true
        writer.releaseLargeMemory()
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
        let computed = Self.checksum(
            ChecksummedHead(
                kind, position, session, seq, atNs, id: id?.text ?? "", id?.number ?? 0, previous),
            body)
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
        var writer = BodyWriter()
        writer.write(record, in: format)
        return writer.withBytes { [UInt8]($0) }
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

    /// The checksum of a row with this body.
    private static func checksum(_ head: borrowing ChecksummedHead, _ body: [UInt8]) -> UInt32 {
        // The fields are copied to one buffer, because the checksum of several short buffers takes longer.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: head.byteCount + body.count) {
            guard let start = $0.baseAddress else { return 0 }
            head.write(to: start)
            body.withUnsafeBufferPointer { body in
                guard let first = body.baseAddress else { return }
                (start + head.byteCount).update(from: first, count: body.count)
            }
            return checksum(UnsafeBufferPointer($0))
        }
    }

    /// The CRC-32 of bytes. Wraps `libdeflate_crc32`.
    private static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }
}

/// Encodes records as rows, all in the same memory.
public final class RowEncoder {
    @exclusivity(unchecked) private var writer = BodyWriter(remembersSteps: true)

    public init() {}

    /// Encodes a record as a row in a format. `previous` is its session's preceding row.
    public func row(
        _ record: borrowing SessionRecord, at position: Int, after previous: JournalPosition,
        in format: RowFormat
    ) -> JournalRow {
        JournalRow(record, at: position, after: previous, in: format, with: &writer)
    }
}

/// What the checksum of a row covers besides its body: the row's numbers, the lengths of its texts, and the texts.
private struct ChecksummedHead: ~Copyable {
    private let numbers: InlineArray<9, Int64>
    private let session: String
    private let id: String
    /// The number of bytes that `write` writes.
    let byteCount: Int

    init(
        _ kind: JournalRow.Kind, _ position: Int, _ session: String, _ seq: Int, _ atNs: Int64,
        id: String, _ idNumber: Int, _ previous: JournalPosition
    ) {
        (self.session, self.id) = (session, id)
        let (sessionByteCount, idByteCount) = (session.utf8.count, self.id.utf8.count)
        numbers = [
            Int64(kind.rawValue).littleEndian, Int64(position).littleEndian,
            Int64(seq).littleEndian, atNs.littleEndian, Int64(previous.position).littleEndian,
            Int64(previous.checksum).littleEndian, Int64(idNumber).littleEndian,
            Int64(sessionByteCount).littleEndian, Int64(idByteCount).littleEndian,
        ]
        byteCount = MemoryLayout.size(ofValue: numbers) + sessionByteCount + idByteCount
    }

    /// Writes the bytes to memory that has room for them.
    func write(to start: UnsafeMutablePointer<UInt8>) {
        withUnsafeBytes(of: numbers) {
            UnsafeMutableRawPointer(start).copyMemory(
                from: $0.baseAddress.unsafelyUnwrapped, byteCount: $0.count)
        }
        let end = start + MemoryLayout.size(ofValue: numbers)
        Self.write(id, to: Self.write(session, to: end))
    }

    /// Writes the bytes of a text, and returns their end.
    @discardableResult private static func write(
        _ text: String, to start: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        text.utf8Span.span.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return start }
            start.update(from: first, count: bytes.count)
            return start + bytes.count
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
