/// Splits the bytes that a broker sends into packets, and decodes the packets. After an error a decoder must not be used again.
public struct MQTTDecoder {
    /// The received bytes; those before `packetStart` are decoded already.
    private var bytes: [UInt8] = []
    /// The index in `bytes` at which the next packet begins.
    private var packetStart = 0
    /// The number of bytes of an oversized message that are still to be skipped.
    private var bytesToSkip = 0

    /// The types of the packets that a broker sends to a client, with the numbers and names of the MQTT standard.
    private enum PacketType: UInt8 {
        case connack = 2
        case publish = 3
        case puback = 4
        case suback = 9
        case unsuback = 11
        case pingresp = 13
    }

    public init() {}

    /// Adds received bytes. Call `next` afterwards until it returns nil, so that at most one incomplete packet is stored.
    public mutating func add(_ newBytes: ArraySlice<UInt8>) {
        let skipped = min(bytesToSkip, newBytes.count)
        bytesToSkip -= skipped
        if packetStart > 0 {
            bytes.removeFirst(packetStart)
            packetStart = 0
        }
        bytes += newBytes.dropFirst(skipped)
    }

    /// The next complete packet; nil if more bytes are needed.
    public mutating func next() throws(MQTTError) -> MQTTPacket? {
        guard let (headerLength, length) = try lengths() else { return nil }
        let typeNumber = bytes[packetStart] >> 4
        let flags = bytes[packetStart] & 0x0F
        guard let type = PacketType(rawValue: typeNumber) else {
            throw .unexpectedPacket(type: typeNumber)
        }
        // Only the packet of a message has flags.
        guard type == .publish || flags == 0 else { throw .flags(type: typeNumber) }
        let bodyStart = packetStart + headerLength
        guard length <= MQTTLimit.packetBytes else {
            guard type == .publish else { throw .tooLong(length) }
            return try readOversized(flags, from: bodyStart, length)
        }
        guard bytes.count - bodyStart >= length else { return nil }
        packetStart = bodyStart + length
        return try Self.decode(type, flags, bytes[bodyStart..<bodyStart + length])
    }

    /// The lengths in bytes of the next packet's fixed header and of the body that follows the header. Nil if more bytes are
    /// needed. The first byte of the header has the type and the flags. The next one to four bytes have the length of the body.
    /// Each of these bytes has seven bits of the length, and the lowest bits come first. The highest bit of the byte says
    /// whether another byte of the length follows.
    private func lengths() throws(MQTTError) -> (header: Int, body: Int)? {
        var length = 0
        for index in 0..<4 {
            let position = packetStart + 1 + index
            guard position < bytes.count else { return nil }
            length |= Int(bytes[position] & 0x7F) << (7 * index)
            if bytes[position] & 0x80 == 0 { return (index + 2, length) }
        }
        throw .length
    }

    /// Reads the topic and the id of a message that is longer than `MQTTLimit.packetBytes`, and skips its payload. `length` is
    /// the length of the packet's body, which begins at `bodyStart`. Returns nil if more bytes are needed.
    private mutating func readOversized(_ flags: UInt8, from bodyStart: Int, _ length: Int)
        throws(MQTTError) -> MQTTPacket?
    {
        guard bytes.count - bodyStart >= 2 else { return nil }
        let topicLength = Int(bytes[bodyStart]) << 8 | Int(bytes[bodyStart + 1])
        // The bits 0x06 are the QoS; a message with QoS 0 has no id.
        let payloadOffset = 2 + topicLength + (flags & 0x06 == 0 ? 0 : 2)
        guard bytes.count - bodyStart >= payloadOffset else { return nil }
        let beforePayload = bytes[bodyStart..<bodyStart + payloadOffset]
        let decoded = try Self.decode(.publish, flags, beforePayload)
        let available = bytes.count - bodyStart - payloadOffset
        let skipped = min(available, length - payloadOffset)
        packetStart = bodyStart + payloadOffset + skipped
        bytesToSkip = length - payloadOffset - skipped
        guard case .message(let message, let id) = decoded else { return decoded }
        return .oversized(topic: message.topic, id: id)
    }

    /// Decodes the body of a packet.
    private static func decode(_ type: PacketType, _ flags: UInt8, _ body: ArraySlice<UInt8>)
        throws(MQTTError) -> MQTTPacket
    {
        var reader = MQTTReader(body)
        let packet: MQTTPacket?
        switch type {
        case .connack:
            // Skips the byte that says whether the broker had stored a session. A clean session is never stored.
            _ = reader.byte()
            packet = reader.byte().map { .connected(code: $0) }
        case .publish: return try decodeMessage(flags, &reader)
        case .puback: packet = reader.uint16().map { .acknowledged($0) }
        case .suback:
            packet = reader.uint16().map { .subscribed($0, codes: Array(reader.readRemaining())) }
        case .unsuback: packet = reader.uint16().map { .unsubscribed($0) }
        case .pingresp: packet = .alive
        }
        guard let packet, reader.isAtEnd else { throw .contents(type: type.rawValue) }
        return packet
    }

    /// Decodes the body of a PUBLISH packet.
    private static func decodeMessage(
        _ flags: UInt8, _ reader: inout MQTTReader
    ) throws(MQTTError) -> MQTTPacket {
        let typeNumber = PacketType.publish.rawValue
        let qos = flags >> 1 & 0x03
        // No message may have QoS 2, because all subscriptions ask for QoS 1.
        guard qos < 2 else { throw .flags(type: typeNumber) }
        guard let length = reader.uint16(), let topicBytes = reader.bytes(count: Int(length)) else {
            throw .contents(type: typeNumber)
        }
        guard let topic = String(validating: topicBytes, as: UTF8.self), MQTTTopic.isName(topic)
        else { throw .topic }
        var id: UInt16?
        if qos == 1 {
            guard let packetID = reader.uint16(), packetID > 0 else {
                throw .contents(type: typeNumber)
            }
            id = packetID
        }
        let message = MQTTMessage(
            topic: topic, payload: Array(reader.readRemaining()), isRetained: flags & 0x01 != 0)
        return .message(message, id: id)
    }
}

/// Reads the parts of a packet's body, from its beginning to its end. A method returns nil if too few bytes remain.
private struct MQTTReader {
    /// The bytes that were not read yet.
    private var remaining: ArraySlice<UInt8>

    init(_ body: ArraySlice<UInt8>) { remaining = body }

    var isAtEnd: Bool { remaining.isEmpty }

    mutating func byte() -> UInt8? { remaining.popFirst() }

    mutating func uint16() -> UInt16? {
        guard let high = remaining.popFirst(), let low = remaining.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func bytes(count: Int) -> ArraySlice<UInt8>? {
        guard count <= remaining.count else { return nil }
        defer { remaining = remaining.dropFirst(count) }
        return remaining.prefix(count)
    }

    mutating func readRemaining() -> ArraySlice<UInt8> {
        defer { remaining = [] }
        return remaining
    }
}
