/// One packet between a host and its controller, as H4 carries it: a byte for its type, a header, and as many
/// bytes as the header says.
public struct HCIPacket: Equatable, Sendable {
    /// H4's packet types.
    public enum Kind: UInt8, Sendable, CaseIterable {
        case command = 1
        case acl = 2
        /// Speech; nobody here has use for it.
        case synchronous = 3
        case event = 4
        /// Isochronous data of LE Audio; nobody here has use for it.
        case isochronous = 5

        /// How long its header is, the type not counted.
        var headerLength: Int {
            switch self {
            case .event: 2
            case .command, .synchronous: 3
            case .acl, .isochronous: 4
            }
        }

        /// How many bytes follow a header.
        func payloadLength(_ header: ArraySlice<UInt8>) -> Int {
            let at = header.startIndex
            switch self {
            case .event: return Int(header[at + 1])
            case .command, .synchronous: return Int(header[at + 2])
            case .acl: return Int(header[at + 2]) | Int(header[at + 3]) << 8
            case .isochronous: return (Int(header[at + 2]) | Int(header[at + 3]) << 8) & 0x3FFF
            }
        }
    }

    public let kind: Kind
    /// All of it, the type's byte first.
    public let bytes: [UInt8]

    init(_ kind: Kind, _ bytes: [UInt8]) { (self.kind, self.bytes) = (kind, bytes) }

    /// What stands behind the type's byte.
    public var body: ArraySlice<UInt8> { bytes.dropFirst() }
}
