internal import Support

/// A Bluetooth device address: 48 bits, and whether they are assigned (public) or random.
public struct DeviceAddress: Hashable, Sendable, Comparable {
    /// The address types of HCI. If the controller has resolved a private address to an identity address, the type belongs to
    /// the identity address.
    public enum Kind: UInt8, Sendable {
        case `public` = 0
        case random = 1
    }

    /// The 48 bits as a number: `F0:F1:F2:F3:F4:F5` is `0xF0F1F2F3F4F5`.
    public let bits: UInt64
    public let kind: Kind

    public init(bits: UInt64, kind: Kind = .public) {
        (self.bits, self.kind) = (bits & 0xFFFF_FFFF_FFFF, kind)
    }

    /// Parses six hexadecimal bytes separated by colons; nil if the text is invalid.
    public init?(_ text: some StringProtocol, kind: Kind = .public) {
        let octets = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard octets.count == 6 else { return nil }
        var bits: UInt64 = 0
        for octet in octets {
            guard octet.count == 2, let value = Hexadecimal.byte(octet) else { return nil }
            bits = bits << 8 | UInt64(value)
        }
        self.init(bits: bits, kind: kind)
    }

    /// Parses an address in a packet: a type byte, and six bytes in little-endian order. Nil if the address is truncated.
    init?(from reader: inout ByteReader) {
        guard let type = reader.u8(), let bytes = reader.bytes(6) else { return nil }
        let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The types 2 and 3 are identity addresses, public and random. 0xFF means an anonymous device, which accepts no
        // connections.
        self.init(bits: bits, kind: type & 1 == 0 ? .public : .random)
    }

    /// The six little-endian bytes for a packet.
    var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) } }

    /// The text form: `F0:F1:F2:F3:F4:F5`.
    public var text: String {
        bytes.reversed().map { Hexadecimal.text($0) }.joined(separator: ":")
    }

    public static func < (a: DeviceAddress, b: DeviceAddress) -> Bool {
        (a.bits, a.kind.rawValue) < (b.bits, b.kind.rawValue)
    }
}
