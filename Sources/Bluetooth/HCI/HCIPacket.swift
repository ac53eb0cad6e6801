public import Timers

/// A packet of HCI, the Host Controller Interface, between a host and its controller. The packet has the H4 format: a byte for
/// the type, a header, and a payload. The header contains the length of the payload.
public struct HCIPacket: Equatable, Sendable {
    /// The packet types of H4.
    public enum Kind: UInt8, Sendable, CaseIterable {
        case command = 1
        /// Data of a link (Asynchronous Connection-Less).
        case acl = 2
        /// Speech, which is not used.
        case synchronous = 3
        case event = 4
        /// Isochronous data of LE Audio, which is not used.
        case isochronous = 5

        /// The length of the header in bytes, without the type byte.
        var headerLength: Int {
            switch self {
            case .event: 2
            case .command, .synchronous: 3
            case .acl, .isochronous: 4
            }
        }

        /// The length of the payload in bytes, as the header gives it.
        func payloadLength(_ header: ArraySlice<UInt8>) -> Int {
            let first = header.startIndex
            switch self {
            case .event: return Int(header[first + 1])
            case .command, .synchronous: return Int(header[first + 2])
            case .acl: return Int(header[first + 2]) | Int(header[first + 3]) << 8
            case .isochronous:
                // The length has 14 bits.
                return (Int(header[first + 2]) | Int(header[first + 3]) << 8) & 0x3FFF
            }
        }
    }

    public let kind: Kind
    /// The whole packet, beginning with the type byte.
    public let bytes: [UInt8]

    init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }

    /// The bytes after the type byte.
    public var body: ArraySlice<UInt8> { bytes.dropFirst() }
}

/// Splits a stream of H4 bytes into packets.
///
/// H4 has no synchronization marks. If a byte is not a packet type, all buffered bytes are dropped. A controller writes each
/// packet at once, so the bytes that arrive next begin a packet.
public struct H4Framer {
    private var buffer: [UInt8] = []
    /// The index in `buffer` of the first byte that `next` has not returned.
    private var start = 0
    /// How many times bytes were dropped since the framer was created.
    public private(set) var framingErrors = 0

    public init() {}

    /// Appends received bytes.
    public mutating func append(_ bytes: some Sequence<UInt8>) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next complete packet; nil if there is none.
    public mutating func next() -> HCIPacket? {
        guard start < buffer.count else { return nil }
        guard let kind = HCIPacket.Kind(rawValue: buffer[start]) else {
            framingErrors += 1
            reset()
            return nil
        }
        let payloadStart = start + 1 + kind.headerLength
        guard buffer.count >= payloadStart else { return nil }
        let end = payloadStart + kind.payloadLength(buffer[start + 1..<payloadStart])
        guard buffer.count >= end else { return nil }
        defer { start = end }
        return HCIPacket(kind, Array(buffer[start..<end]))
    }

    /// The number of buffered bytes. When `next` has returned nil, the buffered bytes are the beginning of a packet. They are
    /// then fewer than 65 540 bytes, the maximum length of a packet.
    public var bufferedCount: Int { buffer.count - start }

    /// Drops the buffered bytes.
    public mutating func reset() { (buffer, start) = ([], 0) }
}

/// Called with each packet between a host and its controller, in both directions.
public typealias PacketTap = (HCIPacket, PacketDirection, Instant) -> Void

/// The direction of a packet.
public enum PacketDirection: Sendable {
    case toController, toHost
}
