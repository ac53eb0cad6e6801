/// What a client tells a broker about itself in the request to connect. The MQTT session is always clean: the broker stores
/// nothing for the client between connections.
public struct MQTTLogin: Equatable, Sendable {
    /// The client id, which identifies the client to the broker.
    public var client: String
    public var user: String?
    public var password: [UInt8]?
    /// The keep-alive time in seconds. A broker that receives no packet for 1.5 times this time closes the connection.
    public var keepAliveSeconds: UInt16 = 30
    /// The message that the broker publishes when it loses the connection; nil for no message.
    public var will: MQTTMessage?

    public init(client: String, user: String? = nil, password: [UInt8]? = nil) {
        (self.client, self.user, self.password) = (client, user, password)
    }
}

/// Encodes the packets that a client of MQTT 3.1.1 sends. Texts longer than 65 535 bytes are cut. The caller makes sure that a
/// payload has at most `MQTTLimit.payloadBytes`. An `id` is the packet id that the broker repeats in its answer.
public enum MQTTEncoder {
    public static func connect(_ login: MQTTLogin) -> [UInt8] {
        // This flag asks for a clean session.
        var flags: UInt8 = 0x02
        // 4 is the protocol level of MQTT 3.1.1.
        var body = text("MQTT") + [4]
        // The bits 0x0C announce a will that is to be published with QoS 1; 0x20 makes it retained.
        if let will = login.will { flags |= 0x0C | (will.isRetained ? 0x20 : 0) }
        if login.user != nil { flags |= 0x80 }
        // MQTT does not allow a password without a user.
        if login.user != nil, login.password != nil { flags |= 0x40 }
        body += [flags] + uint16(login.keepAliveSeconds) + text(login.client)
        if let will = login.will { body += text(will.topic) + lengthPrefixed(will.payload[...]) }
        if let user = login.user {
            body += text(user)
            if let password = login.password { body += lengthPrefixed(password[...]) }
        }
        return packet(0x10, body)
    }

    /// Publishes a message: with QoS 1 if `id` is given, otherwise with QoS 0.
    public static func publish(_ message: MQTTMessage, id: UInt16?) -> [UInt8] {
        let firstByte = 0x30 | (id == nil ? 0 : 0x02) | (message.isRetained ? 0x01 : 0) as UInt8
        let body = text(message.topic) + (id.map(uint16) ?? []) + message.payload
        return packet(firstByte, body)
    }

    /// Acknowledges a received message with the id of that message.
    public static func acknowledge(_ id: UInt16) -> [UInt8] { packet(0x40, uint16(id)) }

    /// Subscribes to all filters with QoS 1.
    public static func subscribe(_ filters: [String], id: UInt16) -> [UInt8] {
        packet(0x82, uint16(id) + filters.flatMap { text($0) + [1] })
    }

    public static func unsubscribe(_ filters: [String], id: UInt16) -> [UInt8] {
        packet(0xA2, uint16(id) + filters.flatMap(text))
    }

    public static let ping: [UInt8] = [0xC0, 0]
    public static let disconnect: [UInt8] = [0xE0, 0]

    private static func uint16(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xFF)]
    }

    /// A text in UTF-8, with its length before it.
    private static func text(_ text: String) -> [UInt8] { lengthPrefixed(Array(text.utf8)[...]) }

    private static func lengthPrefixed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = bytes.prefix(Int(UInt16.max))
        return uint16(UInt16(bytes.count)) + bytes
    }

    /// A packet with its length. The upper half of `firstByte` is the type of the packet. The lower half has the flags that
    /// MQTT requires for this type.
    private static func packet(_ firstByte: UInt8, _ body: [UInt8]) -> [UInt8] {
        var header = [firstByte]
        var length = body.count
        repeat {
            header.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
            length >>= 7
        } while length > 0
        return header + body
    }
}
