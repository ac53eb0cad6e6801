/// Splits the bytes of a broker into packets, and decodes them. After an error a decoder must not be used again.
public struct MQTTDecoder {
    private var bytes: [UInt8] = []
    /// The index of the next packet in `bytes`.
    private var start = 0
    /// The number of bytes of an oversized message that are still to be skipped.
    private var bytesToSkip = 0

    public init() {}

    /// Adds received bytes. Call `next` afterwards until it returns nil, so that at most one incomplete packet is stored.
    public mutating func add(_ newBytes: ArraySlice<UInt8>) {
        let skipped = min(bytesToSkip, newBytes.count)
        bytesToSkip -= skipped
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += newBytes.dropFirst(skipped)
    }

    /// The next complete packet; nil if more bytes are needed.
    public mutating func next() throws(MQTTError) -> MQTTPacket? {
        guard let (headerLength, length) = try lengths() else { return nil }
        let type = bytes[start] >> 4
        let flags = bytes[start] & 0x0F
        // CONNACK, PUBLISH, PUBACK, SUBACK, UNSUBACK and PINGRESP. Only PUBLISH has flags.
        guard [2, 3, 4, 9, 11, 13].contains(type) else { throw .unexpectedPacket(type: type) }
        guard type == 3 || flags == 0 else { throw .flags(type: type) }
        let bodyStart = start + headerLength
        guard length <= MQTTLimit.packetBytes else {
            guard type == 3 else { throw .tooLong(length) }
            return try readOversized(flags, from: bodyStart, length)
        }
        guard bytes.count - bodyStart >= length else { return nil }
        start = bodyStart + length
        return try Self.decode(type, flags, bytes[bodyStart..<bodyStart + length])
    }

    /// The lengths of the fixed header and of the body after it; nil if more bytes are needed.
    private func lengths() throws(MQTTError) -> (header: Int, body: Int)? {
        var length = 0
        for index in 0..<4 {
            let position = start + 1 + index
            guard position < bytes.count else { return nil }
            length |= Int(bytes[position] & 0x7F) << (7 * index)
            if bytes[position] & 0x80 == 0 { return (index + 2, length) }
        }
        throw .length
    }

    /// Reads the topic and the id of a message that is too long, and skips its payload.
    private mutating func readOversized(_ flags: UInt8, from bodyStart: Int, _ length: Int)
        throws(MQTTError) -> MQTTPacket?
    {
        guard bytes.count - bodyStart >= 2 else { return nil }
        let topicLength = Int(bytes[bodyStart]) << 8 | Int(bytes[bodyStart + 1])
        let headLength = 2 + topicLength + (flags & 0x06 == 0 ? 0 : 2)
        guard bytes.count - bodyStart >= headLength else { return nil }
        let decoded = try Self.decode(3, flags, bytes[bodyStart..<bodyStart + headLength])
        let available = bytes.count - bodyStart - headLength
        let skipped = min(available, length - headLength)
        start = bodyStart + headLength + skipped
        bytesToSkip = length - headLength - skipped
        guard case .message(let message, let id) = decoded else { return decoded }
        return .oversized(topic: message.topic, id: id)
    }

    private static func decode(_ type: UInt8, _ flags: UInt8, _ body: ArraySlice<UInt8>)
        throws(MQTTError) -> MQTTPacket
    {
        var reader = MQTTReader(body)
        let packet: MQTTPacket?
        switch type {
        case 2:
            _ = reader.byte()
            packet = reader.byte().map { .connected(code: $0) }
        case 3: return try decodeMessage(flags, &reader)
        case 4: packet = reader.uint16().map { .acknowledged($0) }
        case 9:
            packet = reader.uint16().map { .subscribed($0, codes: Array(reader.takeRemaining())) }
        case 11: packet = reader.uint16().map { .unsubscribed($0) }
        default: packet = .alive
        }
        guard let packet, reader.isAtEnd else { throw .contents(type: type) }
        return packet
    }

    private static func decodeMessage(
        _ flags: UInt8, _ reader: inout MQTTReader
    ) throws(MQTTError) -> MQTTPacket {
        // No message has QoS 2, because all subscriptions ask for QoS 1.
        let quality = flags >> 1 & 0x03
        guard quality < 2 else { throw .flags(type: 3) }
        guard let length = reader.uint16(), let topicBytes = reader.take(Int(length)) else {
            throw .contents(type: 3)
        }
        guard let topic = String(validating: topicBytes, as: UTF8.self), MQTTTopic.isName(topic)
        else { throw .topic }
        var id: UInt16?
        if quality == 1 {
            guard let number = reader.uint16(), number > 0 else { throw .contents(type: 3) }
            id = number
        }
        let message = MQTTMessage(
            topic: topic, payload: Array(reader.takeRemaining()), isRetained: flags & 0x01 != 0)
        return .message(message, id: id)
    }
}

/// Reads the parts of a packet. Every read checks the remaining length.
private struct MQTTReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8? { bytes.popFirst() }

    mutating func uint16() -> UInt16? {
        guard let high = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func takeRemaining() -> ArraySlice<UInt8> {
        defer { bytes = [] }
        return bytes
    }
}
