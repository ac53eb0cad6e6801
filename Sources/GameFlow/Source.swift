internal import Support

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
    /// The number of steps that this event may cause in all sessions, itself included. A change divides the number of its source
    /// among the events that it causes in other sessions, so that they cannot multiply without an end although their sessions
    /// do not know of each other. The number is not recorded.
    public let linkedShare: Int

    public init(
        _ kind: Kind, peer: Peer? = nil, as principal: String? = nil, account: String? = nil,
        linkedSteps: Int = 0, linkedShare: Int = EventQueue.postLimit
    ) {
        self.kind = kind
        (self.linkedSteps, self.linkedShare) = (linkedSteps, linkedShare)
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
        a === b || (a.kind == b.kind && a.peer == b.peer && hasSamePrincipal(a, b))
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(peer)
        hasher.combine(bytesOf: principal ?? "")
    }

    private static func hasSamePrincipal(_ a: Source, _ b: Source) -> Bool {
        guard let principal = a.principal, let other = b.principal else {
            return a.principal == nil && b.principal == nil
        }
        return principal.hasSameBytes(as: other)
    }
}

/// Addresses and names of devices are compared by their bytes.
extension Source.Peer {
    public static func == (a: Source.Peer, b: Source.Peer) -> Bool {
        switch (a, b) {
        case (.process(let pid, let uid, let gid), .process(let pid2, let uid2, let gid2)):
            pid == pid2 && uid == uid2 && gid == gid2
        case (.address(let a), .address(let b)), (.device(let a), .device(let b)):
            a.hasSameBytes(as: b)
        case (.process, _), (.address, _), (.device, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .process(let pid, let uid, let gid):
            hasher.combine(pid)
            hasher.combine(uid)
            hasher.combine(gid)
        case .address(let text), .device(let text): hasher.combine(bytesOf: text)
        }
    }
}
