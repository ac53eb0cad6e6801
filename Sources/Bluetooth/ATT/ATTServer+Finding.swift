/// How others find out what there is.
extension ATTServer {
    func findInformation(_ reader: inout ByteReader) -> ATTPacket {
        let opcode = ATTOpcode.findInformationRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue, at: 0)
        }
        var bytes: [UInt8] = []
        var size = 0
        for handle in handles(range) {
            let type = attributes[Int(handle) - 1].type.packet
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

    /// By type, or by group: the second also tells where each ends.
    func readByType(_ reader: inout ByteReader, _ opcode: ATTOpcode) -> ATTPacket {
        let isGroup = opcode == .readByGroupRequest
        guard let range = range(&reader) else {
            return .error(.invalidHandle, to: opcode.rawValue, at: 0)
        }
        guard let type = BluetoothUUID(packet: reader.rest) else {
            return .error(.invalidPDU, to: opcode.rawValue, at: range.lowerBound)
        }
        if isGroup, !type.beginsService {
            return .error(.unsupportedGroup, to: opcode.rawValue, at: range.lowerBound)
        }
        var bytes: [UInt8] = []
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
        guard let bytes = reader.take(2), let type = BluetoothUUID(packet: bytes) else {
            return .error(.invalidPDU, to: opcode, at: range.lowerBound)
        }
        var found: [UInt8] = []
        for handle in handles(range) where 1 + found.count + 4 <= mtu {
            let attribute = attributes[Int(handle) - 1]
            guard attribute.type == type, attribute.value[...] == reader.rest else { continue }
            found.append(handle)
            found.append(attribute.groupEnd ?? handle)
        }
        return found.isEmpty
            ? .error(.attributeNotFound, to: opcode, at: range.lowerBound)
            : ATTPacket(.findByTypeValueResponse, found)
    }

    /// The handles that a request asks about; nil of a range that is none.
    private func range(_ reader: inout ByteReader) -> ClosedRange<UInt16>? {
        guard let low = reader.u16(), let high = reader.u16(), 0 < low, low <= high else {
            return nil
        }
        return low...high
    }

    /// Those of them that there are.
    private func handles(_ range: ClosedRange<UInt16>) -> Range<UInt16> {
        let last = min(range.upperBound, UInt16(attributes.count))
        return range.lowerBound <= last ? range.lowerBound..<last + 1 : 0..<0
    }
}
