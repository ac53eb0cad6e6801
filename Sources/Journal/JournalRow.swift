internal import CZlib

/// One row of the journal: what happened to a session, and the session after it.
///
/// Its checksum is taken over the row and the checksum of the session's row before it, so a row that was
/// changed, lost or put elsewhere is noticed.
public struct JournalRow: Equatable, Sendable {
    /// Counts the journal's rows from 1, without a gap while none were removed.
    public let position: Int64
    public let session: String
    /// The session's number of changes after it.
    public let seq: Int64
    /// When it happened, in nanoseconds of the daemon's clock.
    public let atNs: Int64
    /// What happened, as whoever writes rows means it.
    public let body: [UInt8]
    public let checksum: UInt32

    /// A new row behind the session's last one, whose checksum is `previous`; 0 before its first.
    public init(
        position: Int64, session: String, seq: Int64, atNs: Int64, body: [UInt8],
        after previous: UInt32
    ) {
        (self.position, self.session, self.seq) = (position, session, seq)
        (self.atNs, self.body) = (atNs, body)
        checksum = Self.checksum(position, session, seq, atNs, body, previous)
    }

    /// A row as it was read.
    init(
        read position: Int64, _ session: String, _ seq: Int64, _ atNs: Int64, _ body: [UInt8],
        _ checksum: UInt32
    ) {
        (self.position, self.session, self.seq) = (position, session, seq)
        (self.atNs, self.body, self.checksum) = (atNs, body, checksum)
    }

    /// Whether it is what was written, behind a row with the checksum `previous`.
    public func holds(after previous: UInt32) -> Bool {
        checksum == Self.checksum(position, session, seq, atNs, body, previous)
    }

    /// CRC-32 over the fields, each of a fixed length or with its length before it. Wraps `crc32(3)`.
    private static func checksum(
        _ position: Int64, _ session: String, _ seq: Int64, _ atNs: Int64, _ body: [UInt8],
        _ previous: UInt32
    ) -> UInt32 {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(body.count + session.utf8.count + 40)
        for number in [Int64(previous), position, seq, atNs, Int64(session.utf8.count)] {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        bytes += session.utf8
        bytes += body
        return UInt32(bytes.withUnsafeBufferPointer { crc32(0, $0.baseAddress, UInt32($0.count)) })
    }
}
