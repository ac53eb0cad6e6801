internal import CZlib
internal import Timers

/// One row of the journal: what happened to a session, and the session after it.
///
/// Its checksum is taken over the row and the place and checksum of the session's row before it, so a row
/// that was changed, lost or put elsewhere is noticed.
public struct JournalRow: Equatable, Sendable {
    /// What a row is.
    public enum Kind: Int64, Sendable {
        /// A change of a session.
        case change
        /// What was done to a session besides its changes.
        case rest
        /// An event that was refused.
        case refusal
        /// A deed of the daemon itself; such a row belongs to the session of no name.
        case daemon
    }

    /// Where a row stands, and that it is this one; what the row after it of the same session is tied to.
    public struct Link: Equatable, Sendable {
        public let position: Int64
        public let checksum: UInt32

        public init(position: Int64, checksum: UInt32) {
            (self.position, self.checksum) = (position, checksum)
        }

        /// In front of a session's first row.
        public static let start = Link(position: 0, checksum: 0)
    }

    /// The id of the request that led here, and how many the session had with it: from 1.
    public struct RequestID: Equatable, Sendable {
        public let text: String
        public let number: Int64

        public init(_ text: String, number: Int64) { (self.text, self.number) = (text, number) }
    }

    public let kind: Kind
    /// Counts the journal's rows from 1, without a gap while none were removed.
    public let position: Int64
    public let session: String
    /// The session's number of changes after it.
    public let seq: Int64
    /// When it happened, in nanoseconds of the daemon's clock.
    public let atNs: Int64
    public let id: RequestID?
    /// What happened, as whoever writes rows means it.
    public let body: [UInt8]
    /// The session's row before it.
    public let previous: Link
    public let checksum: UInt32
    /// Whether it is what was written.
    public let isWhole: Bool

    /// A new row behind the session's last one.
    public init(
        _ kind: Kind = .change, position: Int64, session: String, seq: Int64, atNs: Int64,
        id: RequestID? = nil, body: [UInt8], after previous: Link
    ) {
        self.init(
            restored: kind, position, session, seq, atNs, id, body, after: previous, checksum: nil)
    }

    /// A row as it was read; its checksum is reckoned where none is given.
    package init(
        restored kind: Kind, _ position: Int64, _ session: String, _ seq: Int64, _ atNs: Int64,
        _ id: RequestID?, _ body: [UInt8], after previous: Link, checksum: UInt32?
    ) {
        (self.kind, self.position, self.session, self.seq) = (kind, position, session, seq)
        (self.atNs, self.id, self.body, self.previous) = (atNs, id, body, previous)
        let reckoned = Self.checksum(kind, position, session, seq, atNs, id, body, previous)
        self.checksum = checksum ?? reckoned
        isWhole = self.checksum == reckoned
    }

    /// The greatest number that a row may count to; more than any journal gets to.
    public static let most: Int64 = 1 << 53

    /// Whether its numbers are such as are written: far from where adding to one would overflow. A checksum says
    /// nothing about that.
    public var isInRange: Bool {
        1...Self.most ~= position && 0...Self.most ~= seq && 0...Self.most ~= previous.position
            && 0...Instant.last.nanoseconds ~= atNs && 0...Self.most ~= (id?.number ?? 0)
    }

    /// What is wrong with it by itself; nil of a row that may be believed.
    public var flaw: String? {
        if !isWhole { return "its checksum is wrong" }
        return isInRange ? nil : "its numbers are out of range"
    }

    /// What the session's next row is tied to.
    public var link: Link { Link(position: position, checksum: checksum) }

    /// CRC-32 over the fields, each of a fixed length or with its length before it. Wraps `crc32(3)`.
    private static func checksum(
        _ kind: Kind, _ position: Int64, _ session: String, _ seq: Int64, _ atNs: Int64,
        _ id: RequestID?, _ body: [UInt8], _ previous: Link
    ) -> UInt32 {
        let numbers: [Int64] = [
            kind.rawValue, position, seq, atNs, previous.position, Int64(previous.checksum),
            id?.number ?? 0, Int64(session.utf8.count), Int64(id?.text.utf8.count ?? 0),
        ]
        var sum: UInt = 0
        func add(_ bytes: UnsafeRawBufferPointer) {
            guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
            sum = crc32(sum, start.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count))
        }
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { add($0) } }
        var texts = (session, id?.text ?? "")
        texts.0.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        texts.1.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        body.withUnsafeBytes { add($0) }
        return UInt32(truncatingIfNeeded: sum)
    }
}
