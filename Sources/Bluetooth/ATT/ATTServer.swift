/// A server of the Attribute Protocol (ATT): the attributes of a device, and its responses to requests. Each simulated device
/// has one; the daemon itself has no attributes.
struct ATTServer {
    /// An attribute: a declaration, a value, or a descriptor.
    struct Attribute {
        let type: BluetoothUUID
        var value: [UInt8]
        var isReadable = true
        var isWritable = false
        /// The last handle of the service that this attribute declares. Nil if the attribute declares no service, or if the
        /// service is incomplete.
        var groupEnd: UInt16?
    }

    /// The handle of an attribute is its index plus 1.
    private(set) var attributes: [Attribute] = []
    /// The maximum length of a packet on the present link, in bytes.
    private(set) var mtu = ATTPacket.defaultMTU
    /// The handles and values that clients have written since the last call of `takeWrites`.
    private var writes: [(handle: UInt16, value: [UInt8])] = []

    /// Adds an attribute and returns its handle.
    @discardableResult mutating func add(_ attribute: Attribute) -> UInt16 {
        attributes.append(attribute)
        return UInt16(attributes.count)
    }

    /// Completes the service that the attribute `handle` declares. The attribute that was added last becomes the last attribute
    /// of the service.
    mutating func endGroup(of handle: UInt16) {
        attributes[Int(handle) - 1].groupEnd = UInt16(attributes.count)
    }

    /// The value of an attribute; empty if there is no such attribute.
    func value(of handle: UInt16) -> [UInt8] { self[handle]?.value ?? [] }

    /// Changes the value of an attribute, if there is such an attribute.
    mutating func set(_ value: [UInt8], at handle: UInt16) {
        if self[handle] != nil { attributes[Int(handle) - 1].value = value }
    }

    /// Restores the state at the beginning of a link: the default MTU, and no subscriptions.
    mutating func reset() {
        mtu = ATTPacket.defaultMTU
        for index in attributes.indices where attributes[index].type == .clientConfiguration {
            attributes[index].value = [0, 0]
        }
    }

    /// Returns the handles and values that clients have written since the last call.
    mutating func takeWrites() -> [(handle: UInt16, value: [UInt8])] {
        exchange(&writes, with: [])
    }

    /// An attribute by its handle; nil if there is no such attribute.
    subscript(_ handle: UInt16) -> Attribute? {
        attributes.indices.contains(Int(handle) - 1) ? attributes[Int(handle) - 1] : nil
    }

    // MARK: requests

    /// The response to a packet; nil if the packet gets no response.
    mutating func answer(_ payload: [UInt8]) -> ATTPacket? {
        guard let opcodeByte = payload.first else { return nil }
        guard let opcode = ATTOpcode(rawValue: opcodeByte) else {
            // A command, which has bit 6 set, gets no response.
            return opcodeByte & 0x40 != 0 ? nil : .error(.requestNotSupported, to: opcodeByte)
        }
        var reader = ByteReader(payload[1...])
        switch opcode {
        case .mtuRequest:
            guard let requestedMTU = reader.u16() else {
                return .error(.invalidPDU, to: opcodeByte)
            }
            mtu = max(ATTPacket.defaultMTU, min(Int(requestedMTU), ATTPacket.maximumMTU))
            return ATTPacket(.mtuResponse, [UInt16(ATTPacket.maximumMTU)])
        case .findInformationRequest: return findInformation(&reader)
        case .readByTypeRequest: return readByType(&reader, .readByTypeRequest)
        case .readByGroupRequest: return readByType(&reader, .readByGroupRequest)
        case .findByTypeValueRequest: return findByTypeValue(&reader)
        case .readRequest, .readBlobRequest: return read(&reader, opcode)
        case .writeRequest, .writeCommand: return write(&reader, opcode)
        default: return opcode.isRequest ? .error(.requestNotSupported, to: opcodeByte) : nil
        }
    }

    /// Answers Read, and Read Blob, which reads a value from an offset on.
    private func read(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket {
        let isBlob = opcode == .readBlobRequest
        guard let handle = reader.u16(), let offset = isBlob ? reader.u16() : 0 else {
            return .error(.invalidPDU, to: opcode.rawValue)
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
        // The first byte of the response is the opcode.
        let value = attribute.value.dropFirst(Int(offset)).prefix(mtu - 1)
        return ATTPacket(isBlob ? .readBlobResponse : .readResponse, Array(value))
    }

    /// Answers Write Request, and carries out Write Command, which gets no response.
    private mutating func write(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket? {
        func refuse(_ error: ATTError, _ handle: UInt16 = 0) -> ATTPacket? {
            opcode == .writeRequest ? .error(error, to: opcode.rawValue, at: handle) : nil
        }
        guard let handle = reader.u16() else { return refuse(.invalidPDU) }
        guard let attribute = self[handle] else { return refuse(.invalidHandle, handle) }
        guard attribute.isWritable else { return refuse(.writeNotPermitted, handle) }
        // A client can change the bytes of a value, but not their number.
        guard reader.remaining.count == attribute.value.count else {
            return refuse(.invalidLength, handle)
        }
        let value = Array(reader.remaining)
        set(value, at: handle)
        writes.append((handle, value))
        return opcode == .writeRequest ? ATTPacket(.writeResponse) : nil
    }
}

/// Requests by which a client discovers the attributes.
extension ATTServer {
    /// Answers Find Information: the handles and types of the attributes in a range of handles.
    func findInformation(_ reader: inout ByteReader) -> ATTPacket {
        let opcode = ATTOpcode.findInformationRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue)
        }
        var bytes: [UInt8] = []
        // All types in a response have the size of the first type, in bytes.
        var size = 0
        for handle in handles(range) {
            let type = attributes[Int(handle) - 1].type.littleEndianBytes
            if size == 0 { size = type.count }
            // The response has an opcode and a format (2 bytes), and each type has a handle (2 bytes).
            guard type.count == size, 2 + bytes.count + 2 + size <= mtu else { break }
            bytes.append(handle)
            bytes += type
        }
        guard size > 0 else {
            return .error(.attributeNotFound, to: opcode.rawValue, at: range.lowerBound)
        }
        // Format 1 means 16-bit types, format 2 means 128-bit types.
        return ATTPacket(.findInformationResponse, [size == 2 ? 1 : 2] + bytes)
    }

    /// Answers Read By Type: the handles and values of the attributes with a type. Also answers Read By Group Type, whose
    /// response contains the last handle of each service too.
    func readByType(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket {
        let isGroup = opcode == .readByGroupRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue)
        }
        guard let type = BluetoothUUID(packet: reader.remaining) else {
            return .error(.invalidPDU, to: opcode.rawValue, at: range.lowerBound)
        }
        if isGroup, !type.declaresService {
            return .error(.unsupportedGroup, to: opcode.rawValue, at: range.lowerBound)
        }
        var bytes: [UInt8] = []
        // All entries in a response have the size of the first entry, in bytes.
        var size = 0
        for handle in handles(range) where attributes[Int(handle) - 1].type == type {
            let attribute = attributes[Int(handle) - 1]
            var entry: [UInt8] = []
            entry.append(handle)
            if isGroup { entry.append(attribute.groupEnd ?? handle) }
            // The response begins with 2 bytes: the opcode, and the size of an entry.
            entry += attribute.value.prefix(mtu - 2 - entry.count)
            if size == 0 { size = entry.count }
            guard entry.count == size, 2 + bytes.count + size <= mtu else { break }
            bytes += entry
        }
        guard size > 0 else {
            return .error(.attributeNotFound, to: opcode.rawValue, at: range.lowerBound)
        }
        return ATTPacket(
            isGroup ? .readByGroupResponse : .readByTypeResponse, [UInt8(size)] + bytes)
    }

    /// Answers Find By Type Value: the handles of the attributes with a type and a value, each with the last handle of its
    /// service.
    func findByTypeValue(_ reader: inout ByteReader) -> ATTPacket {
        let opcode = ATTOpcode.findByTypeValueRequest.rawValue
        guard let range = range(&reader) else { return .error(.invalidHandle, to: opcode) }
        guard let bytes = reader.bytes(2), let type = BluetoothUUID(packet: bytes) else {
            return .error(.invalidPDU, to: opcode, at: range.lowerBound)
        }
        var found: [UInt8] = []
        // The response has an opcode (1 byte), and each entry has two handles (4 bytes).
        for handle in handles(range) where 1 + found.count + 4 <= mtu {
            let attribute = attributes[Int(handle) - 1]
            guard attribute.type == type, attribute.value[...] == reader.remaining else { continue }
            found.append(handle)
            found.append(attribute.groupEnd ?? handle)
        }
        return found.isEmpty
            ? .error(.attributeNotFound, to: opcode, at: range.lowerBound)
            : ATTPacket(.findByTypeValueResponse, found)
    }

    /// Parses the range of handles with which a request begins; nil if the range is invalid.
    private func range(_ reader: inout ByteReader) -> ClosedRange<UInt16>? {
        guard let low = reader.u16(), let high = reader.u16(), 0 < low, low <= high else {
            return nil
        }
        return low...high
    }

    /// The existing handles in a range.
    private func handles(_ range: ClosedRange<UInt16>) -> Range<UInt16> {
        let last = min(range.upperBound, UInt16(attributes.count))
        return range.lowerBound <= last ? range.lowerBound..<last + 1 : 0..<0
    }
}
