/// What an advertisement says: pieces of a length, a type and a value.
public struct AdvertisingData: Equatable, Sendable {
    /// What the device is called.
    public private(set) var name: String?
    /// Whether that is all of it.
    public private(set) var isNameWhole = true
    /// The services that it says it has.
    public private(set) var services: [BluetoothUUID] = []
    /// How long a name may be, in bytes: as long as GAP allows.
    static let nameLimit = 248

    public init(name: String? = nil, services: [BluetoothUUID] = []) {
        (self.name, self.services) = (name, services)
    }

    /// Reads as far as it can be read: many devices write more, or less, than they say.
    public init(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        while let length = reader.u8(), length > 0, let piece = reader.take(Int(length)) {
            take(piece.first ?? 0, piece.dropFirst())
        }
    }

    private mutating func take(_ type: UInt8, _ value: ArraySlice<UInt8>) {
        switch type {
        case 0x02, 0x03: takeServices(value, of: 2)
        case 0x04, 0x05: takeServices(value, of: 4)
        case 0x06, 0x07: takeServices(value, of: 16)
        // The whole name holds against a shortened one.
        case 0x09: (name, isNameWhole) = (Self.clean(value), true)
        case 0x08 where name == nil: (name, isNameWhole) = (Self.clean(value), false)
        default: break
        }
    }

    private mutating func takeServices(_ value: ArraySlice<UInt8>, of size: Int) {
        var reader = ByteReader(value)
        while let bytes = reader.take(size), services.count < 64 {
            if let uuid = BluetoothUUID(packet: bytes) { services.append(uuid) }
        }
    }

    /// A name as it may be shown: no control characters, which a terminal would obey.
    static func clean(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix(nameLimit), as: UTF8.self)
        let scalars = text.unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }

    /// As it is sent: what fits into one advertisement, and what is left for the answer to a scan.
    func packets(limit: Int = 31) -> (advertisement: [UInt8], scanResponse: [UInt8]) {
        // General discoverable, no classic Bluetooth.
        var first: [UInt8] = [2, 0x01, 0x06]
        for uuid in services {
            let bytes = uuid.packet
            guard first.count + bytes.count + 2 <= limit else { break }
            first += [UInt8(bytes.count + 1), bytes.count == 2 ? 0x02 : 0x06] + bytes
        }
        guard let name else { return (first, []) }
        let whole = Array(name.utf8)
        let piece = Array(whole.prefix(limit - 2))
        let type: UInt8 = piece.count == whole.count ? 0x09 : 0x08
        let named = [UInt8(piece.count + 1), type] + piece
        return first.count + named.count <= limit ? (first + named, []) : (first, named)
    }
}
