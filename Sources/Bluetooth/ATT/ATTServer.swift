/// What a device lets others read and write: its attributes, and answers to whatever is asked about them.
struct ATTServer {
    /// One attribute: a declaration, a value, or a switch.
    struct Attribute {
        let type: BluetoothUUID
        var value: [UInt8]
        var isReadable = true
        var isWritable = false
        /// Of a service's declaration: the last handle that belongs to it.
        var groupEnd: UInt16?
    }

    /// In the order of their handles, the first of which is 1.
    private(set) var attributes: [Attribute] = []
    private(set) var mtu = ATTPacket.standardMTU
    /// What was written since it was last asked for: handles and values.
    private var written: [(handle: UInt16, value: [UInt8])] = []

    /// Adds one; its handle.
    @discardableResult mutating func add(_ attribute: Attribute) -> UInt16 {
        attributes.append(attribute)
        return UInt16(attributes.count)
    }

    /// A service ends where the next one begins.
    mutating func endGroup(of handle: UInt16) {
        attributes[Int(handle) - 1].groupEnd = UInt16(attributes.count)
    }

    func value(of handle: UInt16) -> [UInt8] { self[handle]?.value ?? [] }

    mutating func set(_ value: [UInt8], at handle: UInt16) {
        if self[handle] != nil { attributes[Int(handle) - 1].value = value }
    }

    /// A new link begins with what every link begins with.
    mutating func reset() {
        mtu = ATTPacket.standardMTU
        for index in attributes.indices where attributes[index].type == .clientConfiguration {
            attributes[index].value = [0, 0]
        }
    }

    mutating func takeWritten() -> [(handle: UInt16, value: [UInt8])] {
        exchange(&written, with: [])
    }

    subscript(_ handle: UInt16) -> Attribute? {
        attributes.indices.contains(Int(handle) - 1) ? attributes[Int(handle) - 1] : nil
    }

    // MARK: answering

    /// What is answered to a packet; nil where nothing is to be said.
    mutating func answer(_ payload: [UInt8]) -> ATTPacket? {
        guard let first = payload.first else { return nil }
        guard let opcode = ATTOpcode(rawValue: first) else {
            // The bit for commands, to which there are no answers.
            return first & 0x40 != 0 ? nil : .error(.requestNotSupported, to: first, at: 0)
        }
        var reader = ByteReader(payload[1...])
        switch opcode {
        case .mtuRequest:
            guard let wanted = reader.u16() else { return .error(.invalidPDU, to: first, at: 0) }
            mtu = max(ATTPacket.standardMTU, min(Int(wanted), ATTPacket.mtu))
            return ATTPacket(.mtuResponse, [UInt16(ATTPacket.mtu)])
        case .findInformationRequest: return findInformation(&reader)
        case .readByTypeRequest: return readByType(&reader, .readByTypeRequest)
        case .readByGroupRequest: return readByType(&reader, .readByGroupRequest)
        case .findByTypeValueRequest: return findByTypeValue(&reader)
        case .readRequest, .readBlobRequest: return read(&reader, opcode)
        case .writeRequest, .writeCommand: return write(&reader, opcode)
        default: return opcode.isRequest ? .error(.requestNotSupported, to: first, at: 0) : nil
        }
    }

    private func read(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket {
        let isBlob = opcode == .readBlobRequest
        guard let handle = reader.u16(), let offset = isBlob ? reader.u16() : 0 else {
            return .error(.invalidPDU, to: opcode.rawValue, at: 0)
        }
        guard let attribute = self[handle] else {
            return .error(.invalidHandle, to: opcode.rawValue, at: handle)
        }
        guard attribute.isReadable else {
            return .error(.readNotPermitted, to: opcode.rawValue, at: handle)
        }
        guard Int(offset) <= attribute.value.count else {
            return .error(.invalidOffset, to: opcode.rawValue, at: handle)
        }
        let value = attribute.value.dropFirst(Int(offset)).prefix(mtu - 1)
        return ATTPacket(isBlob ? .readBlobResponse : .readResponse, Array(value))
    }

    private mutating func write(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket? {
        func refuse(_ error: ATTError, _ handle: UInt16) -> ATTPacket? {
            opcode == .writeRequest ? .error(error, to: opcode.rawValue, at: handle) : nil
        }
        guard let handle = reader.u16() else { return refuse(.invalidPDU, 0) }
        guard let attribute = self[handle] else { return refuse(.invalidHandle, handle) }
        guard attribute.isWritable else { return refuse(.writeNotPermitted, handle) }
        guard reader.rest.count == attribute.value.count else {
            return refuse(.invalidLength, handle)
        }
        let value = Array(reader.rest)
        set(value, at: handle)
        written.append((handle, value))
        return opcode == .writeRequest ? ATTPacket(.writeResponse) : nil
    }
}
