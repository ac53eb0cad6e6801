/// The origin of an event, as recorded with every change.
///
/// This is a class, so that all events of a connection can refer to one source.
public final class Source: Sendable {
    /// The kind of origin, identified by its name. Each module declares the kinds of its transports.
    public struct Kind: Hashable, Sendable {
        public let name: String

        public init(_ name: String) { self.name = name }

        /// A state's own timer.
        public static let timer = Kind("timer")
        /// The program that created the machine.
        public static let program = Kind("program")
    }

    /// The peer that sent the event.
    public enum Peer: Hashable, Sendable {
        /// A process on the same host, with its user and group.
        case process(pid: Int32, uid: UInt32, gid: UInt32)
        /// A network address as text.
        case address(String)
        /// The name or address of a device, or the name of the session that sent the event.
        case device(String)

        /// The account of a peer without a principal; see `Source.account`.
        fileprivate var account: String {
            switch self {
            case .process(_, let uid, _): "uid:\(uid)"
            case .address(let text), .device(let text): text
            }
        }

        /// The peer as it is shown to clients and recorded.
        public var members: [Member] {
            switch self {
            case .process(let pid, let uid, let gid):
                [Member("pid", Int(pid)), Member("uid", Int(uid)), Member("gid", Int(gid))]
            case .address(let address): [Member("address", address)]
            case .device(let device): [Member("device", device)]
            }
        }
    }

    public let kind: Kind
    /// The sender; nil if the event does not come from outside, or its sender is unknown.
    public let peer: Peer?
    /// The credential by which the peer was admitted, if it used one: `token:desk`, `cert:anna`.
    public let principal: String?
    /// The account to which limits apply. The creator of the source can set the account. Otherwise the account is the
    /// principal. Without a principal, it is the peer's user, address or device. Without a peer, it is the name of the kind.
    public let account: String
    /// The length of the chain of sessions that led to this event: 0 if the sender is not a session. A change of a session can
    /// cause an event that the session sends. The source of this event has the `linkedSteps` of the change's source, plus 1. A
    /// limit on this number ends loops between sessions. The number is not recorded.
    public let linkedSteps: Int

    public init(
        _ kind: Kind, peer: Peer? = nil, as principal: String? = nil, account: String? = nil,
        linkedSteps: Int = 0
    ) {
        self.kind = kind
        self.linkedSteps = linkedSteps
        self.peer = peer
        self.principal = principal
        self.account = account ?? principal ?? peer?.account ?? kind.name
    }

    /// The source as it is shown to clients and recorded.
    public var value: Value {
        .object(
            [Member("kind", kind.name)]
                + (peer.map { [Member("peer", .object($0.members))] } ?? [])
                + (principal.map { [Member("as", $0)] } ?? []))
    }

    /// The program that created the machine.
    public static let program = Source(.program)
    /// A state's own timer.
    public static let timer = Source(.timer)
}

/// Two sources are equal if they are recorded alike.
extension Source: Hashable {
    public static func == (a: Source, b: Source) -> Bool {
        a === b || (a.kind == b.kind && a.peer == b.peer && a.principal == b.principal)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(peer)
        hasher.combine(principal)
    }
}
