/// An argument of an OSC message.
public enum OSCArgument: Equatable, Sendable {
    case int(Int32)
    case float(Float)
    case text(String)
    case blob([UInt8])
    /// The argument with the type tag `T` or `F`.
    case truth(Bool)
    /// The argument with the type tag `N`.
    case null
    /// The argument with the type tag `I`, which has no value.
    case impulse
    case long(Int64)
    case double(Double)

    /// The argument as a number; true is 1 and false is 0. Nil for an argument of another type.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .float(let value): Double(value)
        case .long(let value): Double(value)
        case .double(let value): value
        case .truth(let value): value ? 1 : 0
        case .text, .blob, .null, .impulse: nil
        }
    }
}

/// An OSC 1.0 message.
public struct OSCMessage: Equatable, Sendable {
    /// What the message is for, such as `/light/1`; it begins with a slash.
    public let address: String
    public let arguments: [OSCArgument]

    public init(_ address: String, _ arguments: [OSCArgument] = []) {
        (self.address, self.arguments) = (address, arguments)
    }
}

/// The reason why a datagram is neither an OSC message nor a bundle.
public enum OSCError: Error, Equatable {
    /// The datagram ends before a text, an argument or an element of a bundle is complete, or an element has an impossible
    /// size.
    case truncated
    /// The datagram, or an element of a bundle, begins neither with an address, whose first character is a slash, nor with
    /// `#bundle`.
    case address
    /// A text or an address is not UTF-8.
    case text
    /// An argument of a type that is not supported.
    case type(UInt8)
    /// The arguments have no type tags.
    case noTypes
    /// Bytes follow the last argument.
    case excess
    /// Bundles are nested more deeply than `OSCLimit.depth`.
    case depth
    /// A datagram has more than `OSCLimit.messages` messages, or a message has more than `OSCLimit.arguments` arguments.
    case count
}

/// Limits of the OSC decoder.
public enum OSCLimit {
    /// The maximum depth of nested bundles.
    public static let depth = 8
    /// The maximum number of messages in a datagram.
    public static let messages = 1024
    /// The maximum number of arguments of a message.
    public static let arguments = 256
    /// The maximum length of a datagram in bytes; UDP over IPv4 allows no more.
    public static let datagramBytes = 65_507
}
