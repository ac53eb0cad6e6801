internal import Support

/// A Bluetooth device's address: 48 bits, and whether they were assigned or made up.
public struct DeviceAddress: Hashable, Sendable, Comparable {
    /// HCI's address types. Identity addresses, which a controller resolved, count as what they stand for.
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

    /// As people write it; nil of what is none.
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

    /// As it stands in a packet: a byte for its kind, then six, little end first. Nil where these are not there.
    init?(typed reader: inout ByteReader) {
        guard let type = reader.u8(), let bytes = reader.take(6) else { return nil }
        let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // 2 and 3 are identities that a controller resolved; 0xFF is nobody, who is not connected to.
        self.init(bits: bits, kind: type & 1 == 0 ? .public : .random)
    }

    /// The six bytes of a packet.
    var bytes: [UInt8] { (0..<6).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) } }

    public var text: String {
        bytes.reversed().map { Hexadecimal.text($0) }.joined(separator: ":")
    }

    public static func < (a: DeviceAddress, b: DeviceAddress) -> Bool {
        (a.bits, a.kind.rawValue) < (b.bits, b.kind.rawValue)
    }
}
