internal import Support

/// What a service, a characteristic or a descriptor is: 128 bits, of which the assigned ones are written as 16.
public struct BluetoothUUID: Hashable, Sendable {
    /// The bits as two numbers, the upper half first.
    private let high: UInt64
    private let low: UInt64

    /// Bluetooth's own base, `00000000-0000-1000-8000-00805F9B34FB`, below the first 32 bits.
    private static let base: (high: UInt64, low: UInt64) = (0x1000, 0x8000_0080_5F9B_34FB)

    /// An assigned number.
    public init(_ short: UInt16) {
        self.init(high: UInt64(short) << 32 | Self.base.high, low: Self.base.low)
    }

    /// `FFE1`, `0000FFE1` or `0000FFE1-0000-1000-8000-00805F9B34FB`, in either case; nil of what is none.
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

    /// As it stands in a packet, little end first: 2, 4 or 16 bytes. Nil of any other number.
    init?(packet bytes: ArraySlice<UInt8>) {
        switch bytes.count {
        case 2, 4:
            let short = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            self.init(high: short << 32 | Self.base.high, low: Self.base.low)
        case 16: self.init(Array(bytes.reversed()))
        default: return nil
        }
    }

    /// Sixteen bytes, as they are read.
    private init(_ bytes: [UInt8]) {
        self.init(
            high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
            low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
    }

    private init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

    /// The assigned number, if it is one.
    public var short: UInt16? {
        guard low == Self.base.low, high & 0xFFFF_FFFF == Self.base.high else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// As it stands in a packet: 2 bytes of an assigned number, else 16.
    var packet: [UInt8] {
        guard let short else {
            return [low, high].flatMap { half in
                (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * UInt64($0))) }
            }
        }
        return [UInt8(truncatingIfNeeded: short), UInt8(truncatingIfNeeded: short >> 8)]
    }

    /// As people write it: `FFE1`, or all of it.
    public var text: String {
        if let short {
            return Hexadecimal.write([UInt8(short >> 8), UInt8(truncatingIfNeeded: short)])
        }
        var text = Hexadecimal.write(packet.reversed())
        for place in [20, 16, 12, 8] {
            text.insert("-", at: text.index(text.startIndex, offsetBy: place))
        }
        return text
    }

    // MARK: assigned numbers

    static let primaryService = BluetoothUUID(0x2800)
    static let secondaryService = BluetoothUUID(0x2801)
    /// Whether an attribute of that type begins a service.
    var beginsService: Bool { self == .primaryService || self == .secondaryService }
    static let characteristic = BluetoothUUID(0x2803)
    /// The descriptor by which a client asks to be notified: Client Characteristic Configuration.
    static let clientConfiguration = BluetoothUUID(0x2902)
    public static let batteryService = BluetoothUUID(0x180F)
    public static let batteryLevel = BluetoothUUID(0x2A19)
}
