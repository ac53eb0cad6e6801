internal import CZlib
public import Sessions
internal import Timers

/// One row of the journal: a record with its position, tied to the row before it.
///
/// Its checksum is taken over the row and the place and checksum of the session's row before it, so a row
/// that was changed, lost or put elsewhere is noticed.
public struct JournalRow: Equatable, Sendable {
    public typealias Kind = SessionRecord.Kind

    /// The id of the request that led here, and how many the session had with it: from 1.
    public struct RequestID: Equatable, Sendable {
        public let text: String
        public let number: Int

        public init(_ text: String, number: Int) { (self.text, self.number) = (text, number) }
    }

    public let kind: Kind
    /// Counts the journal's rows from 1, without a gap while none were removed.
    public let position: Int
    /// Empty of the daemon's own rows.
    public let session: String
    /// The session's number of changes after it.
    public let seq: Int
    /// When it happened, in nanoseconds of the daemon's clock.
    public let atNs: Int64
    public let id: RequestID?
    /// What happened, as `BodyWriter` writes it.
    public let body: [UInt8]
    /// The session's row before it.
    public let previous: JournalPosition
    public let checksum: UInt32
    /// Whether it is what was written.
    public let isWhole: Bool

    /// A record as a row, behind its session's last one.
    public init(_ record: SessionRecord, at position: Int, after previous: JournalPosition) {
        self.init(
            record.kind, position: position, session: record.session?.text ?? "", seq: record.seq,
            atNs: record.at.nanoseconds,
            id: record.id.map { RequestID($0, number: record.idNumber) },
            body: BodyWriter.body(of: record), after: previous)
    }

    /// A new row behind the session's last one.
    public init(
        _ kind: Kind = .change, position: Int, session: String, seq: Int, atNs: Int64,
        id: RequestID? = nil, body: [UInt8], after previous: JournalPosition
    ) {
        self.init(
            restored: kind, position, session, seq, atNs, id, body, after: previous, checksum: nil)
    }

    /// A row as it was read; its checksum is reckoned where none is given.
    package init(
        restored kind: Kind, _ position: Int, _ session: String, _ seq: Int, _ atNs: Int64,
        _ id: RequestID?, _ body: [UInt8], after previous: JournalPosition, checksum: UInt32?
    ) {
        (self.kind, self.position, self.session, self.seq) = (kind, position, session, seq)
        (self.atNs, self.id, self.body, self.previous) = (atNs, id, body, previous)
        let reckoned = Self.checksum(kind, position, session, seq, atNs, id, body, previous)
        self.checksum = checksum ?? reckoned
        isWhole = self.checksum == reckoned
    }

    /// The body that this version writes for a record.
    package static func body(of record: SessionRecord) -> [UInt8] { BodyWriter.body(of: record) }

    /// The greatest number that a row may count to; more than any journal gets to.
    public static let most = 1 << 53

    /// Whether its numbers are such as are written: far from where adding to one would overflow. A checksum says
    /// nothing about that.
    public var isInRange: Bool {
        0...Self.most ~= previous.position
            && RowHead.areInRange(
                position: position, seq: seq, atNs: atNs, idNumber: id?.number ?? 0)
    }

    /// What is wrong with it by itself; nil of a row that may be believed.
    public var flaw: String? {
        if !isWhole { return "its checksum is wrong" }
        return isInRange ? nil : "its numbers are out of range"
    }

    /// What the session's next row is tied to.
    public var mark: JournalPosition { JournalPosition(position: position, checksum: checksum) }

    /// Its numbers and names.
    package var head: RowHead {
        RowHead(
            kind, position: position, session: session, seq: seq, atNs: atNs, id: id)
    }

    /// Whether a record can have been written so, as far as the row's own numbers and names say.
    public var mayBeRead: Bool {
        isInRange && (isOfNoSession || SessionName(session) != nil)
    }

    /// Whether it belongs to no session.
    public var isOfNoSession: Bool { kind == .daemon || kind == .forgotten }

    /// The record that was written so.
    public func record() throws(UnreadableRow) -> SessionRecord {
        guard isInRange else { throw UnreadableRow(why: RecordReader.misnumbered) }
        var reader = RecordReader()
        return try reader.record(head, body.span)
    }

    /// CRC-32 over the fields, each of a fixed length or with its length before it. Wraps `crc32(3)`.
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
        var texts = (session, id?.text ?? "")
        // All in one piece: for several short ones zlib takes twice as long.
        let count = (texts: (texts.0.utf8.count, texts.1.utf8.count), body: body.count)
        return withUnsafeTemporaryAllocation(
            byteCount: 72 + count.texts.0 + count.texts.1 + count.body, alignment: 8
        ) { bytes in
            let text = UnsafeMutableRawBufferPointer(rebasing: bytes[72...])
            let id = UnsafeMutableRawBufferPointer(rebasing: text[count.texts.0...])
            withUnsafeBytes(of: numbers) { bytes.copyMemory(from: $0) }
            texts.0.withUTF8 { text.copyMemory(from: UnsafeRawBufferPointer($0)) }
            texts.1.withUTF8 { id.copyMemory(from: UnsafeRawBufferPointer($0)) }
            body.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: id[count.texts.1...]).copyMemory(from: $0)
            }
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
        }
    }
}
