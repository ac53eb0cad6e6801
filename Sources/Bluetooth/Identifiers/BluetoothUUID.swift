internal import Support

/// A UUID of a service, a characteristic or a descriptor: 128 bits. The UUIDs that the Bluetooth standard assigns are written
/// as 16 bits.
public struct BluetoothUUID: Hashable, Sendable {
    /// The upper and the lower half of the bits.
    private let high: UInt64
    private let low: UInt64

    /// The Bluetooth base UUID, `00000000-0000-1000-8000-00805F9B34FB`, without its first 32 bits.
    private static let base: (high: UInt64, low: UInt64) = (0x1000, 0x8000_0080_5F9B_34FB)

    /// An assigned UUID, from its 16 bits.
    public init(_ short: UInt16) {
        self.init(high: UInt64(short) << 32 | Self.base.high, low: Self.base.low)
    }

    /// Parses `FFE1`, `0000FFE1` or `0000FFE1-0000-1000-8000-00805F9B34FB`, in upper or lower
    /// case; nil if the text is invalid.
    public init?(_ text: some StringProtocol) {
        var digits = ""
        switch text.utf8.count {
        case 4: digits = "0000\(text)00001000800000805F9B34FB"
        case 8: digits = "\(text)00001000800000805F9B34FB"
        case 36:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
            digits = parts.joined()
        default: return nil
        }
        guard let bytes = Hexadecimal.read(digits) else { return nil }
        self.init(bytes)
    }

    /// Parses 2, 4 or 16 bytes of a packet, in little-endian order; nil for any other length.
    init?(packet bytes: ArraySlice<UInt8>) {
        switch bytes.count {
        case 2, 4:
            let short = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.init(high: short << 32 | Self.base.high, low: Self.base.low)
        case 16: self.init(Array(bytes.reversed()))
        default: return nil
        }
    }

    /// From 16 bytes in big-endian order.
    private init(_ bytes: [UInt8]) {
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The 16 bits of an assigned UUID; nil for any other UUID.
    public var short: UInt16? {
        guard low == Self.base.low, high & 0xFFFF_FFFF == Self.base.high else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// The bytes as in a packet: 2 for an assigned UUID, else 16.
    var littleEndianBytes: [UInt8] {
        guard let short else {
            return [low, high].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * UInt64($0))) }
            }
        }
        return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
    }

    /// The text form: `FFE1` for an assigned UUID, else all 36 characters.
    public var text: String {
        if let short {
            return Hexadecimal.write([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)])
        }
        var text = Hexadecimal.write(littleEndianBytes.reversed())
        // From the end to the beginning, so that an insertion does not move the later offsets.
        for offset in [20, 16, 12, 8] {
            text.insert("-", at: text.index(text.startIndex, offsetBy: offset))
        }
        return text
    }

    // MARK: assigned numbers

    /// The types of the attributes that declare a service.
    static let primaryService = BluetoothUUID(0x2800)
    static let secondaryService = BluetoothUUID(0x2801)
    /// Whether an attribute of this type declares a service.
    var declaresService: Bool { self == .primaryService || self == .secondaryService }
    /// The type of the attributes that declare a characteristic.
    static let characteristic = BluetoothUUID(0x2803)
    /// Client Characteristic Configuration, the descriptor by which a client subscribes.
    static let clientConfiguration = BluetoothUUID(0x2902)
    public static let batteryService = BluetoothUUID(0x180F)
    public static let batteryLevel = BluetoothUUID(0x2A19)
}

/// Names a characteristic to which a host can subscribe, by the UUIDs of its service and of the characteristic.
public struct Subscription: Hashable, Sendable {
    public let service: BluetoothUUID
    public let characteristic: BluetoothUUID

    public init(service: BluetoothUUID, characteristic: BluetoothUUID) {
        (self.service, self.characteristic) = (service, characteristic)
    }

    /// The text form: `FFE0/FFE1`.
    public var text: String { "\(service.text)/\(characteristic.text)" }

    /// The battery level. The central reads the battery level of every connected device, and subscribes to it.
    static let battery = Subscription(service: .batteryService, characteristic: .batteryLevel)
}
