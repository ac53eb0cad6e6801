/// What a device answered to a request about its attributes.
enum ATTAnswer: Equatable {
    case mtu(Int)
    /// Attributes in the order of their handles, and what each is.
    case information([Attribute])
    case value([UInt8])
    case written
    case refused(ATTError)

    struct Attribute: Equatable {
        let handle: UInt16
        let type: BluetoothUUID
    }

    /// Whether a packet answers that request, well or badly.
    static func isMeant(_ payload: [UInt8], for request: ATTOpcode) -> Bool {
        guard let first = payload.first else { return false }
        if first == ATTOpcode.error.rawValue {
            return payload.count < 2 || payload[1] == request.rawValue
        }
        // The answer's number is always the next one.
        return first == request.rawValue + 1
    }

    /// From a packet that answers one with the opcode `request`; nil of one that answers something else, or makes
    /// no sense.
    init?(_ payload: [UInt8], to request: ATTOpcode) {
        var reader = ByteReader(payload[...])
        guard let opcode = reader.u8().flatMap(ATTOpcode.init(rawValue:)) else { return nil }
        switch (opcode, request) {
        case (.error, _):
            guard reader.u8() == request.rawValue, reader.u16() != nil, let code = reader.u8()
            else { return nil }
            self = .refused(ATTError(rawValue: code))
        case (.mtuResponse, .mtuRequest):
            guard let mtu = reader.u16() else { return nil }
            self = .mtu(Int(mtu))
        case (.findInformationResponse, .findInformationRequest):
            guard let attributes = Self.attributes(&reader) else { return nil }
            self = .information(attributes)
        case (.readResponse, .readRequest): self = .value(Array(reader.rest))
        case (.writeResponse, .writeRequest): self = .written
        default: return nil
        }
    }

    /// Pairs of one size, of which there is at least one.
    private static func attributes(_ reader: inout ByteReader) -> [Attribute]? {
        guard let format = reader.u8(), 1...2 ~= format else { return nil }
        var attributes: [Attribute] = []
        while let handle = reader.u16() {
            guard let bytes = reader.take(format == 1 ? 2 : 16),
                let type = BluetoothUUID(packet: bytes)
            else { return nil }
            attributes.append(Attribute(handle: handle, type: type))
        }
        return attributes.isEmpty || !reader.isEmpty ? nil : attributes
    }
}
