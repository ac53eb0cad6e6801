public import Timers

/// Reads what was captured, by whatever host.
public struct BtsnoopReader: Sequence, IteratorProtocol {
    /// A packet that was captured.
    public struct Record: Equatable, Sendable {
        public let packet: HCIPacket
        public let direction: PacketDirection
        /// On a clock whose zero is the Unix epoch.
        public let at: Instant
    }

    /// Why a file is none of these.
    public enum Flaw: Error, Equatable {
        case noCapture
        /// It holds something else than H4 packets; btsnoop's number for that.
        case otherPackets(UInt32)
    }

    private var rest: ArraySlice<UInt8>
    /// How many records could not be read: no packet of H4, cut off when they were captured, or at the end.
    public private(set) var malformed = 0

    public init(_ bytes: [UInt8]) throws(Flaw) {
        let header = BtsnoopFormat.header
        guard bytes.starts(with: header.prefix(12)), bytes.count >= header.count else {
            throw .noCapture
        }
        let kind = Self.number(bytes[12..<16])
        guard kind == 1002 else { throw .otherPackets(kind) }
        rest = bytes.dropFirst(header.count)
    }

    public mutating func next() -> Record? {
        while !rest.isEmpty {
            guard rest.count >= BtsnoopFormat.recordLength else { return cutOff() }
            let head = Array(rest.prefix(BtsnoopFormat.recordLength))
            let (whole, length) = (Self.number(head[..<4]), Int(Self.number(head[4..<8])))
            guard length <= BtsnoopFormat.packetLimit, rest.count >= head.count + length else {
                return cutOff()
            }
            let bytes = Array(rest.dropFirst(head.count).prefix(length))
            rest = rest.dropFirst(head.count + length)
            guard whole == length, let packet = Self.packet(bytes) else {
                malformed += 1
                continue
            }
            let direction: PacketDirection = head[11] & 1 == 1 ? .toHost : .toController
            return Record(packet: packet, direction: direction, at: Self.time(head[16..<24]))
        }
        return nil
    }

    private mutating func cutOff() -> Record? {
        malformed += 1
        rest = []
        return nil
    }

    /// One packet, and nothing else.
    private static func packet(_ bytes: [UInt8]) -> HCIPacket? {
        var framer = H4Framer()
        framer.append(bytes)
        guard let packet = framer.next(), framer.waiting == 0 else { return nil }
        return packet
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }

    private static func time(_ bytes: ArraySlice<UInt8>) -> Instant {
        let micros = Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        let (since, overflow) = micros.subtractingReportingOverflow(BtsnoopFormat.epoch)
        let (nanos, beyond) = since.multipliedReportingOverflow(by: 1000)
        return Instant(nanoseconds: overflow || beyond ? 0 : nanos)
    }
}
