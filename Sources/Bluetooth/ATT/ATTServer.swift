/// An ATT server: the attributes of a device, and its responses to requests. The simulator uses
/// it; the daemon itself has no attributes.
struct ATTServer {
    /// An attribute: a declaration, a value, or a descriptor.
    struct Attribute {
        let type: BluetoothUUID
        var value: [UInt8]
        var isReadable = true
        var isWritable = false
        /// For a service declaration: the last handle of the service.
        var groupEnd: UInt16?
    }

    /// In ascending order of the handles, which begin with 1.
    private(set) var attributes: [Attribute] = []
    private(set) var mtu = ATTPacket.defaultMTU
    /// The handles and values that clients have written since the last call of `takeWrites`.
    private var writes: [(handle: UInt16, value: [UInt8])] = []

    /// Adds an attribute and returns its handle.
    @discardableResult mutating func add(_ attribute: Attribute) -> UInt16 {
        attributes.append(attribute)
        return UInt16(attributes.count)
    }

    /// Ends a service: the attribute that was added most recently is its last one. `handle` is that of the service declaration.
    mutating func endGroup(of handle: UInt16) {
        attributes[Int(handle) - 1].groupEnd = UInt16(attributes.count)
    }

    /// The value of an attribute; empty if there is no such attribute.
    func value(of handle: UInt16) -> [UInt8] { self[handle]?.value ?? [] }

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

    subscript(_ handle: UInt16) -> Attribute? {
        attributes.indices.contains(Int(handle) - 1) ? attributes[Int(handle) - 1] : nil
    }

    // MARK: requests

    /// The response to a packet; nil if the packet gets no response.
    mutating func answer(_ payload: [UInt8]) -> ATTPacket? {
        guard let first = payload.first else { return nil }
        guard let opcode = ATTOpcode(rawValue: first) else {
            // A command, which has bit 6 set, gets no response.
            return first & 0x40 != 0 ? nil : .error(.requestNotSupported, to: first, at: 0)
        }
        var reader = ByteReader(payload[1...])
        switch opcode {
        case .mtuRequest:
            guard let requestedMTU = reader.u16() else {
                return .error(.invalidPDU, to: first, at: 0)
            }
            mtu = max(ATTPacket.defaultMTU, min(Int(requestedMTU), ATTPacket.maximumMTU))
            return ATTPacket(.mtuResponse, [UInt16(ATTPacket.maximumMTU)])
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
    func findInformation(_ reader: inout ByteReader) -> ATTPacket {
        let opcode = ATTOpcode.findInformationRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue, at: 0)
        }
        var bytes: [UInt8] = []
        // One response contains only types of the same size: that of the first.
        var size = 0
        for handle in handles(range) {
            let type = attributes[Int(handle) - 1].type.littleEndianBytes
            if size == 0 { size = type.count }
            guard type.count == size, 2 + bytes.count + 2 + size <= mtu else { break }
            bytes.append(handle)
            bytes += type
        }
        guard size > 0 else {
            return .error(.attributeNotFound, to: opcode.rawValue, at: range.lowerBound)
        }
        return ATTPacket(.findInformationResponse, [size == 2 ? 1 : 2] + bytes)
    }

    /// Answers Read By Type, and Read By Group Type, which also returns the last handle of each
    /// group.
    func readByType(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket {
        let isGroup = opcode == .readByGroupRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue, at: 0)
        }
        guard let type = BluetoothUUID(packet: reader.remaining) else {
            return .error(.invalidPDU, to: opcode.rawValue, at: range.lowerBound)
        }
        if isGroup, !type.declaresService {
            return .error(.unsupportedGroup, to: opcode.rawValue, at: range.lowerBound)
        }
        var bytes: [UInt8] = []
        // One response contains only entries of the same size: that of the first.
        var size = 0
        for handle in handles(range) where attributes[Int(handle) - 1].type == type {
            let attribute = attributes[Int(handle) - 1]
            var piece: [UInt8] = []
            piece.append(handle)
            if isGroup { piece.append(attribute.groupEnd ?? handle) }
            piece += attribute.value.prefix(mtu - 2 - piece.count)
            if size == 0 { size = piece.count }
            guard piece.count == size, 2 + bytes.count + size <= mtu else { break }
            bytes += piece
        }
        guard size > 0 else {
            return .error(.attributeNotFound, to: opcode.rawValue, at: range.lowerBound)
        }
        return ATTPacket(
            isGroup ? .readByGroupResponse : .readByTypeResponse, [UInt8(size)] + bytes)
    }

    func findByTypeValue(_ reader: inout ByteReader) -> ATTPacket {
        let opcode = ATTOpcode.findByTypeValueRequest.rawValue
        guard let range = range(&reader) else { return .error(.invalidHandle, to: opcode, at: 0) }
        guard let bytes = reader.bytes(2), let type = BluetoothUUID(packet: bytes) else {
            return .error(.invalidPDU, to: opcode, at: range.lowerBound)
        }
        var found: [UInt8] = []
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

    /// Parses a request's range of handles; nil if it is invalid.
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
