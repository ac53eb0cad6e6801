public import Timers

/// The btsnoop capture format: version 1, with H4 packets (datalink type 1002). tshark and btmon
/// read it.
public enum BtsnoopFormat {
    /// The magic number `btsnoop`, the version, and the datalink type.
    public static let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    static let headerLength = 16
    static let recordHeaderLength = 24
    /// Microseconds from btsnoop's epoch, the year 0, to the Unix epoch.
    static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000
    /// The longest packet that is read: the type byte, a header, and the longest payload that a
    /// header can announce.
    static let packetLengthLimit = 65_540

    /// Encodes a packet as a record. The instant zero is written as the Unix epoch.
    public static func record(_ packet: HCIPacket, _ direction: PacketDirection, _ at: Instant)
        -> [UInt8]
    {
        let length = UInt32(packet.bytes.count)
        // Bit 0: received by the host. Bit 1: a command or an event.
        let isCommandOrEvent = packet.kind == .command || packet.kind == .event
        let flags: UInt32 = (direction == .toHost ? 1 : 0) | (isCommandOrEvent ? 2 : 0)
        let time = UInt64(bitPattern: at.nanoseconds / 1000 + epoch)
        return bytes(length) + bytes(length) + bytes(flags) + bytes(UInt32(0)) + bytes(time)
            + packet.bytes
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// Reads a btsnoop capture of any host. Records that cannot be read are skipped and counted.
public struct BtsnoopReader: Sequence, IteratorProtocol {
    /// A captured packet.
    public struct Record: Equatable, Sendable {
        public let packet: HCIPacket
        public let direction: PacketDirection
        /// When the packet was captured, on a clock whose zero is the Unix epoch.
        public let at: Instant
    }

    /// The bytes that have not been read yet.
    private var unread: ArraySlice<UInt8>
    /// The number of records that were skipped: they are not an H4 packet, were shortened by the capturing host, or are
    /// truncated at the end of the file.
    public private(set) var malformedCount = 0

    public init(_ bytes: [UInt8]) throws(BtsnoopError) {
        let header = BtsnoopFormat.header
        guard bytes.starts(with: header.prefix(12)), bytes.count >= header.count else {
            throw .notBtsnoop
        }
        let datalink = Self.number(bytes[12..<16])
        guard datalink == 1002 else { throw .unsupportedDatalink(datalink) }
        unread = bytes.dropFirst(header.count)
    }

    public mutating func next() -> Record? {
        while !unread.isEmpty {
            guard unread.count >= BtsnoopFormat.recordHeaderLength else { return endAtTruncatedRecord() }
            let head = Array(unread.prefix(BtsnoopFormat.recordHeaderLength))
            let (originalLength, length) = (Self.number(head[..<4]), Int(Self.number(head[4..<8])))
            guard length <= BtsnoopFormat.packetLengthLimit, unread.count >= head.count + length else {
                return endAtTruncatedRecord()
            }
            let bytes = Array(unread.dropFirst(head.count).prefix(length))
            unread = unread.dropFirst(head.count + length)
            guard originalLength == length, let packet = Self.packet(bytes) else {
                malformedCount += 1
                continue
            }
            let direction: PacketDirection = head[11] & 1 == 1 ? .toHost : .toController
            return Record(packet: packet, direction: direction, at: Self.time(head[16..<24]))
        }
        return nil
    }

    private mutating func endAtTruncatedRecord() -> Record? {
        malformedCount += 1
        unread = []
        return nil
    }

    /// Parses bytes that must be exactly one packet.
    private static func packet(_ bytes: [UInt8]) -> HCIPacket? {
        var framer = H4Framer()
        framer.append(bytes)
        guard let packet = framer.next(), framer.bufferedCount == 0 else { return nil }
        return packet
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Instant {
        let micros = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        let (sinceEpoch, overflow) = micros.subtractingReportingOverflow(BtsnoopFormat.unixEpoch)
        let (nanos, nanosOverflow) = sinceEpoch.multipliedReportingOverflow(by: 1000)
        return Instant(nanoseconds: overflow || nanosOverflow ? 0 : nanos)
    }
}

/// Why a file cannot be read.
public enum BtsnoopError: Error, Equatable {
    case notBtsnoop
    /// The packets in the file are not H4 packets; the value is the file's datalink type.
    case unsupportedDatalink(UInt32)
}
