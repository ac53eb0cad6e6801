public import Timers

/// Writes the btsnoop capture format, version 1, which tshark and btmon read: a file header, and a record for each packet. The
/// packets are HCI packets in H4 format, which begin with a byte for their type.
public enum BtsnoopFormat {
    /// The header of a file: the magic number `btsnoop`, the version (4 bytes), and the datalink type (4 bytes).
    public static let header: [UInt8] = Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 0x03, 0xEA]
    /// The datalink type of H4 packets.
    static let h4Datalink: UInt32 = 1002
    /// The length of the header of a record, in bytes.
    static let recordHeaderLength = 24
    /// The Unix epoch as a time in a record: in microseconds since the year 0.
    static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000
    /// The length of the longest packet that is read, in bytes. It is the sum of a type (1), a header (4), and the longest
    /// payload that a header can announce (65 535).
    static let packetLengthLimit = 65_540

    /// Encodes a packet as a record. The instant zero is written as the Unix epoch.
    public static func record(
        _ packet: HCIPacket, _ direction: PacketDirection, _ capturedAt: Instant
    ) -> [UInt8] {
        let length = UInt32(packet.bytes.count)
        // Bit 0: received by the host. Bit 1: a command or an event.
        let isCommandOrEvent = packet.kind == .command || packet.kind == .event
        let flags: UInt32 = (direction == .toHost ? 1 : 0) | (isCommandOrEvent ? 2 : 0)
        let time = UInt64(bitPattern: capturedAt.nanoseconds / 1000 + unixEpoch)
        // The original length, the captured length, the flags, the number of lost packets, and the time.
        return bytes(length) + bytes(length) + bytes(flags) + bytes(UInt32(0)) + bytes(time)
            + packet.bytes
    }

    /// The bytes of a number in big-endian order.
    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// Reads a btsnoop capture, which any Bluetooth host may have written. Records that cannot be read are skipped and counted.
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
    /// The number of records that were skipped. A record is skipped if it is not an H4 packet, if the capturing host shortened
    /// it, or if the end of the file cuts it off.
    public private(set) var malformedCount = 0

    public init(_ bytes: [UInt8]) throws(BtsnoopError) {
        let header = BtsnoopFormat.header
        guard bytes.starts(with: header.prefix(12)), bytes.count >= header.count else {
            throw .notBtsnoop
        }
        let datalink = Self.number(bytes[12..<16])
        guard datalink == BtsnoopFormat.h4Datalink else { throw .unsupportedDatalink(datalink) }
        unread = bytes.dropFirst(header.count)
    }

    /// The next record that can be read; nil at the end of the file.
    public mutating func next() -> Record? {
        while !unread.isEmpty {
            guard unread.count >= BtsnoopFormat.recordHeaderLength else {
                return endAtTruncatedRecord()
            }
            let header = Array(unread.prefix(BtsnoopFormat.recordHeaderLength))
            let originalLength = Self.number(header[..<4])
            let length = Int(Self.number(header[4..<8]))
            guard length <= BtsnoopFormat.packetLengthLimit,
                unread.count >= header.count + length
            else { return endAtTruncatedRecord() }
            let bytes = Array(unread.dropFirst(header.count).prefix(length))
            unread = unread.dropFirst(header.count + length)
            guard originalLength == length, let packet = Self.packet(bytes) else {
                malformedCount += 1
                continue
            }
            // Bit 0 of the flags, which end with byte 11.
            let direction: PacketDirection = header[11] & 1 == 1 ? .toHost : .toController
            return Record(packet: packet, direction: direction, at: Self.time(header[16..<24]))
        }
        return nil
    }

    /// Counts the truncated record and ends the sequence: returns nil, also from now on.
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

    /// A number from bytes in big-endian order.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The instant of a record's time. A time that is too far from the Unix epoch for an instant becomes zero.
    private static func time(_ bytes: ArraySlice<UInt8>) -> Instant {
        let micros = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        let (sinceEpoch, overflow) = micros.subtractingReportingOverflow(BtsnoopFormat.unixEpoch)
        let (nanos, nanosOverflow) = sinceEpoch.multipliedReportingOverflow(by: 1000)
        return Instant(nanoseconds: overflow || nanosOverflow ? 0 : nanos)
    }
}

/// Why a capture cannot be read.
public enum BtsnoopError: Error, Equatable {
    /// The file does not begin with the header of btsnoop version 1.
    case notBtsnoop
    /// The packets in the file are not H4 packets; the value is the file's datalink type.
    case unsupportedDatalink(UInt32)
}
