/// The contents of an advertisement or a scan response: a list of fields, each with a length, a type and a value. The central
/// parses it, and simulated devices encode it.
public struct AdvertisingData: Equatable, Sendable {
    /// The device's name.
    public private(set) var name: String?
    /// Whether the name is complete, not shortened.
    public private(set) var isNameComplete = true
    /// The advertised services.
    public private(set) var services: [BluetoothUUID] = []
    /// The length of the longest name in bytes, as the standard's Generic Access Profile defines it.
    static let nameLimit = 248
    /// More services are ignored: anyone can transmit advertisements.
    private static let serviceLimit = 64
    /// The length of the longest legacy advertisement or scan response, in bytes.
    static let legacyLimit = 31

    public init(name: String? = nil, services: [BluetoothUUID] = []) {
        (self.name, self.services) = (name, services)
    }

    /// Parses as many fields as possible: many devices send more or fewer bytes than they
    /// announce.
    public init(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        while let length = reader.u8(), length > 0, let field = reader.bytes(Int(length)) {
            addField(field.first ?? 0, field.dropFirst())
        }
    }

    private mutating func addField(_ type: UInt8, _ value: ArraySlice<UInt8>) {
        switch type {
        // Incomplete and complete lists of services, with UUIDs of 16, 32 and 128 bits.
        case 0x02, 0x03: addServices(value, of: 2)
        case 0x04, 0x05: addServices(value, of: 4)
        case 0x06, 0x07: addServices(value, of: 16)
        // A complete name (0x09) takes precedence over a shortened name (0x08).
        case 0x09: (name, isNameComplete) = (Self.cleanName(value), true)
        case 0x08 where name == nil: (name, isNameComplete) = (Self.cleanName(value), false)
        default: break
        }
    }

    /// Adds service UUIDs of `size` bytes each.
    private mutating func addServices(_ value: ArraySlice<UInt8>, of size: Int) {
        var reader = ByteReader(value)
        while let bytes = reader.bytes(size), services.count < Self.serviceLimit {
            if let uuid = BluetoothUUID(packet: bytes) { services.append(uuid) }
        }
    }

    /// Decodes a name and removes control characters, which a terminal would interpret. Nil if nothing remains.
    static func cleanName(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes.prefix(nameLimit), as: UTF8.self)
        let scalars = text.unicodeScalars.filter {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
        return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars))
    }

    /// Encodes as many services as fit into an advertisement of `limit` bytes, and the name. If the name does not fit into the
    /// advertisement, the scan response contains the name, shortened if necessary. Otherwise the scan response is empty.
    func packets(limit: Int = AdvertisingData.legacyLimit) -> (
        advertisement: [UInt8], scanResponse: [UInt8]
    ) {
        // The flags (type 0x01): general discoverable, and no support of classic Bluetooth.
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
