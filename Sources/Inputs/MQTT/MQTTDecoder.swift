/// Splits the bytes of a broker into packets, and decodes them. After an error it must not be used again.
public struct MQTTDecoder {
    private var bytes: [UInt8] = []
    private var start = 0
    /// The number of bytes of an oversized message that are still to be skipped.
    private var toSkip = 0

    public init() {}

    /// Adds received bytes. Call `next` afterwards until it returns nil, so that at most one packet is stored.
    public mutating func add(_ more: ArraySlice<UInt8>) {
        let skipped = min(toSkip, more.count)
        toSkip -= skipped
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more.dropFirst(skipped)
    }

    /// The next complete packet; nil if more bytes are needed.
    public mutating func next() throws(MQTTError) -> MQTTPacket? {
        guard let (headerLength, length) = try header() else { return nil }
        let kind = bytes[start] >> 4
        let flags = bytes[start] & 0x0F
        guard [2, 3, 4, 9, 11, 13].contains(kind) else { throw .unexpectedPacket(type: kind) }
        guard kind == 3 || flags == 0 else { throw .flags(type: kind) }
        let body = start + headerLength
        guard length <= MQTTLimit.packetBytes else {
            guard kind == 3 else { throw .tooLong(length) }
            return try oversized(flags, from: body, length)
        }
        guard bytes.count - body >= length else { return nil }
        start = body + length
        return try Self.decode(kind, flags, bytes[body..<body + length])
    }

    /// The length of the fixed header, and of what follows it; nil if more bytes are needed.
    private func header() throws(MQTTError) -> (header: Int, body: Int)? {
        var length = 0
        for index in 0..<4 {
            let at = start + 1 + index
            guard at < bytes.count else { return nil }
            length |= Int(bytes[at] & 0x7F) << (7 * index)
            if bytes[at] & 0x80 == 0 { return (index + 2, length) }
        }
        throw .length
    }

    /// Reads topic and id of a message that is too long, and skips its payload.
    private mutating func oversized(_ flags: UInt8, from body: Int, _ length: Int)
        throws(MQTTError) -> MQTTPacket?
    {
        guard bytes.count - body >= 2 else { return nil }
        let topicLength = Int(bytes[body]) << 8 | Int(bytes[body + 1])
        let needed = 2 + topicLength + (flags & 0x06 == 0 ? 0 : 2)
        guard bytes.count - body >= needed else { return nil }
        let decoded = try Self.decode(3, flags, bytes[body..<body + needed])
        let rest = bytes.count - body - needed
        let skipped = min(rest, length - needed)
        start = body + needed + skipped
        toSkip = length - needed - skipped
        guard case .message(let message, let id) = decoded else { return decoded }
        return .oversized(topic: message.topic, id: id)
    }

    private static func decode(_ kind: UInt8, _ flags: UInt8, _ body: ArraySlice<UInt8>)
        throws(MQTTError) -> MQTTPacket
    {
        var reader = MQTTReader(body)
        let packet: MQTTPacket?
        switch kind {
        case 2:
            _ = reader.byte()
            packet = reader.byte().map { .connected(code: $0) }
        case 3: return try message(flags, &reader)
        case 4: packet = reader.number().map { .acknowledged($0) }
        case 9:
            packet = reader.number().map { .subscribed($0, codes: Array(reader.rest())) }
        case 11: packet = reader.number().map { .unsubscribed($0) }
        default: packet = .alive
        }
        guard let packet, reader.isAtEnd else { throw .contents(type: kind) }
        return packet
    }

    private static func message(_ flags: UInt8, _ reader: inout MQTTReader) throws(MQTTError)
        -> MQTTPacket
    {
        // All subscriptions ask for QoS 1 at most.
        let quality = flags >> 1 & 0x03
        guard quality < 2 else { throw .flags(type: 3) }
        guard let length = reader.number(), let name = reader.take(Int(length)) else {
            throw .contents(type: 3)
        }
        guard let topic = String(validating: name, as: UTF8.self), MQTTTopic.isName(topic) else {
            throw .topic
        }
        var id: UInt16?
        if quality == 1 {
            guard let number = reader.number(), number > 0 else { throw .contents(type: 3) }
            id = number
        }
        let message = MQTTMessage(
            topic: topic, payload: Array(reader.rest()), isRetained: flags & 0x01 != 0)
        return .message(message, id: id)
    }
}

/// Reads the parts of a packet. Every read checks the remaining length.
private struct MQTTReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8? { bytes.popFirst() }

    mutating func number() -> UInt16? {
        guard let high = bytes.popFirst(), let low = bytes.popFirst() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func rest() -> ArraySlice<UInt8> {
        defer { bytes = [] }
        return bytes
    }
}
