/// How a client presents itself to a broker. The session is always clean.
public struct MQTTLogin: Equatable, Sendable {
    public var client: String
    public var user: String?
    public var password: [UInt8]?
    /// The time without a packet after which the broker gives the connection up, in seconds.
    public var keepAliveSeconds: UInt16 = 30
    /// The message that the broker publishes, retained, when it loses the connection.
    public var will: MQTTMessage?

    public init(client: String, user: String? = nil, password: [UInt8]? = nil) {
        (self.client, self.user, self.password) = (client, user, password)
    }
}

/// Encodes the packets that a client of MQTT 3.1.1 sends. Texts and payloads must fit: texts have at most 65 535
/// bytes (longer ones are cut), payloads at most `MQTTLimit.payloadBytes`.
public enum MQTTEncoder {
    public static func connect(_ login: MQTTLogin) -> [UInt8] {
        var flags: UInt8 = 0x02
        var body = text("MQTT") + [4]
        if let will = login.will { flags |= 0x0C | (will.isRetained ? 0x20 : 0) }
        if login.user != nil { flags |= 0x80 }
        // A password without a user is not allowed.
        if login.user != nil, login.password != nil { flags |= 0x40 }
        body += [flags] + number(login.keepAliveSeconds) + text(login.client)
        if let will = login.will { body += text(will.topic) + prefixed(will.payload[...]) }
        if let user = login.user {
            body += text(user)
            if let password = login.password { body += prefixed(password[...]) }
        }
        return packet(0x10, body)
    }

    /// A message with QoS 1 if it has an id, otherwise with QoS 0.
    public static func publish(_ message: MQTTMessage, id: UInt16?) -> [UInt8] {
        let first = 0x30 | (id == nil ? 0 : 0x02) | (message.isRetained ? 0x01 : 0) as UInt8
        let body = text(message.topic) + (id.map(number) ?? []) + message.payload
        return packet(first, body)
    }

    public static func acknowledge(_ id: UInt16) -> [UInt8] { packet(0x40, number(id)) }

    /// Subscribes to all filters with QoS 1.
    public static func subscribe(_ filters: [String], id: UInt16) -> [UInt8] {
        packet(0x82, number(id) + filters.flatMap { text($0) + [1] })
    }

    public static func unsubscribe(_ filters: [String], id: UInt16) -> [UInt8] {
        packet(0xA2, number(id) + filters.flatMap(text))
    }

    public static let ping: [UInt8] = [0xC0, 0]
    public static let disconnect: [UInt8] = [0xE0, 0]

    private static func number(_ value: UInt16) -> [UInt8] {
        [UInt8(value >> 8), UInt8(value & 0xFF)]
    }

    private static func text(_ text: String) -> [UInt8] { prefixed(Array(text.utf8)[...]) }

    private static func prefixed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = bytes.prefix(Int(UInt16.max))
        return number(UInt16(bytes.count)) + bytes
    }

    private static func packet(_ first: UInt8, _ body: [UInt8]) -> [UInt8] {
        var header = [first]
        var length = body.count
        repeat {
            header.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
            length >>= 7
        } while length > 0
        return header + body
    }
}
