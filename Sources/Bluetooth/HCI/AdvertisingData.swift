/// The contents of an advertisement: a list of fields, each with a length, a type and a value.
public struct AdvertisingData: Equatable, Sendable {
    /// The device's name.
    public private(set) var name: String?
    /// Whether the name is complete, not shortened.
    public private(set) var isNameComplete = true
    /// The advertised services.
    public private(set) var services: [BluetoothUUID] = []
    /// The longest name in bytes, as GAP defines it.
    static let nameLimit = 248

    public init(name: String? = nil, services: [BluetoothUUID] = []) {
        (self.name, self.services) = (name, services)
    }

    /// Parses as many fields as possible: many devices send more or fewer bytes than they
    /// announce.
    public init(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        while let length = reader.u8(), length > 0, let piece = reader.bytes(Int(length)) {
            addField(piece.first ?? 0, piece.dropFirst())
        }
    }

    private mutating func addField(_ type: UInt8, _ value: ArraySlice<UInt8>) {
        switch type {
        case 0x02, 0x03: addServices(value, of: 2)
        case 0x04, 0x05: addServices(value, of: 4)
        case 0x06, 0x07: addServices(value, of: 16)
        // A complete name takes precedence over a shortened one.
        case 0x09: (name, isNameComplete) = (Self.clean(value), true)
        case 0x08 where name == nil: (name, isNameComplete) = (Self.clean(value), false)
        default: break
        }
    }

    /// Adds service UUIDs of `size` bytes each.
    private mutating func addServices(_ value: ArraySlice<UInt8>, of size: Int) {
        var reader = ByteReader(value)
        while let bytes = reader.bytes(size), services.count < 64 {
            if let uuid = BluetoothUUID(packet: bytes) { services.append(uuid) }
        }
    }

    /// Decodes a name and removes control characters, which a terminal would interpret. Nil if nothing remains.
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

    /// Encodes the data: as many services as fit into an advertisement, and the name. If the name does not fit too, it is in
    /// the scan response, which is otherwise empty.
    func packets(limit: Int = 31) -> (advertisement: [UInt8], scanResponse: [UInt8]) {
        // General discoverable; BR/EDR is not supported.
        var advertisement: [UInt8] = [2, 0x01, 0x06]
        for uuid in services {
            let bytes = uuid.littleEndianBytes
            guard advertisement.count + bytes.count + 2 <= limit else { break }
            advertisement += [UInt8(bytes.count + 1), bytes.count == 2 ? 0x02 : 0x06] + bytes
        }
        guard let name else { return (advertisement, []) }
        let nameBytes = Array(name.utf8)
        let sentName = Array(nameBytes.prefix(limit - 2))
        let type: UInt8 = sentName.count == nameBytes.count ? 0x09 : 0x08
        let nameField = [UInt8(sentName.count + 1), type] + sentName
        return advertisement.count + nameField.count <= limit
            ? (advertisement + nameField, []) : (advertisement, nameField)
    }
}
