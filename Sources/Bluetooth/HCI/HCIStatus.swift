internal import Support

/// An error code of HCI, the Host Controller Interface: the status of a command, or the reason why a link has ended. 0 means
/// success.
public struct HCIStatus: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let success = HCIStatus(rawValue: 0)
    static let unknownCommand = HCIStatus(rawValue: 0x01)
    static let unknownConnection = HCIStatus(rawValue: 0x02)
    public static let connectionTimeout = HCIStatus(rawValue: 0x08)
    static let connectionExists = HCIStatus(rawValue: 0x0B)
    static let commandDisallowed = HCIStatus(rawValue: 0x0C)
    static let invalidParameters = HCIStatus(rawValue: 0x12)
    public static let remoteUserEnded = HCIStatus(rawValue: 0x13)
    static let localHostEnded = HCIStatus(rawValue: 0x16)

    /// A description for an operator.
    public var text: String {
        switch self {
        case .success: "success"
        case .unknownCommand: "unknown command"
        case .unknownConnection: "unknown connection"
        case .connectionTimeout: "out of reach"
        case .commandDisallowed: "command disallowed"
        case .invalidParameters: "invalid parameters"
        case .remoteUserEnded: "ended by the device"
        case .localHostEnded: "disconnected by this host"
        case .connectionExists: "already connected"
        case HCIStatus(rawValue: 0x05): "authentication failed"
        case HCIStatus(rawValue: 0x15): "the device turned off"
        case HCIStatus(rawValue: 0x3B): "unacceptable link parameters"
        case HCIStatus(rawValue: 0x3D): "encryption failed"
        case HCIStatus(rawValue: 0x3E): "the connection was not established"
        default: "HCI error 0x\(Hexadecimal.text(rawValue))"
        }
    }
}
