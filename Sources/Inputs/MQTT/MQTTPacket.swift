public import Support

/// A message that a broker delivers, or that gamed publishes.
public struct MQTTMessage: Equatable, Sendable {
    public let topic: String
    public let payload: [UInt8]
    /// In a received message: whether the broker stored it before the subscription. In a published message or a will: whether
    /// the broker is to store it for later subscribers.
    public let isRetained: Bool

    public init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
}

/// A packet that a broker sends to a client of MQTT 3.1.1.
public enum MQTTPacket: Equatable, Sendable {
    /// The answer to the request to connect (CONNACK); `code` is 0 if the broker accepts it.
    case connected(code: UInt8)
    /// A message. `id` is the packet id to acknowledge; nil if the broker expects no acknowledgement.
    case message(MQTTMessage, id: UInt16?)
    /// A message longer than `MQTTLimit.packetBytes`, whose payload was skipped.
    case oversized(topic: String, id: UInt16?)
    /// The broker has received the published message with this packet id.
    case acknowledged(UInt16)
    /// The answer to the subscription with this packet id. `codes` has one code for each filter, such as `refusedFilter`.
    case subscribed(UInt16, codes: [UInt8])
    /// The subscriptions that the request with this packet id named have ended.
    case unsubscribed(UInt16)
    /// The answer to a ping.
    case alive

    /// The code in `subscribed` of a filter that the broker refuses.
    static let refusedFilter: UInt8 = 0x80
}

/// Limits of the MQTT client.
public enum MQTTLimit {
    /// The maximum length of a received packet after its fixed header, in bytes. The payload of a longer message is skipped;
    /// any other longer packet ends the connection.
    public static let packetBytes = 131_072
    /// The maximum length, in bytes, of a payload that gamed publishes.
    public static let payloadBytes = 65_536
    /// The maximum number of bytes that wait to be sent while the broker does not read.
    public static let backlogBytes = 1 << 20
}

/// The reason why the bytes of a broker cannot be decoded. The connection cannot be continued.
public enum MQTTError: DescribedError, Equatable {
    /// A packet of a type that a broker never sends to a client, or that this client does not support.
    case unexpectedPacket(type: UInt8)
    /// The flags of a packet differ from the flags that MQTT requires for the packet's type.
    case flags(type: UInt8)
    /// The length field of a packet has more than four bytes.
    case length
    /// A packet that is not a message is longer than `MQTTLimit.packetBytes`. The value is its length in bytes.
    case tooLong(Int)
    /// A packet ends before its contents are complete, or has bytes after them.
    case contents(type: UInt8)
    /// A topic is empty, is not UTF-8, or contains a wildcard or U+0000.
    case topic

    public var why: String {
        switch self {
        case .unexpectedPacket(let type): "the broker sent a packet of type \(type)"
        case .flags(let type): "the broker sent wrong flags in a packet of type \(type)"
        case .length: "the broker sent a length of more than four bytes"
        case .tooLong(let length): "the broker sent a packet of \(length) bytes"
        case .contents(let type): "the broker sent a malformed packet of type \(type)"
        case .topic: "the broker sent a message with an invalid topic"
        }
    }
}
