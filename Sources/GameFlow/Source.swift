/// Where an event came from, for the record: every change names it.
///
/// A class, so that a connection makes it once and each of its events only points to it.
public final class Source: Sendable {
    /// The kind of way in, by its name. The module that owns a transport, or the rules about it, declares its kind.
    public struct Kind: Hashable, Sendable {
        public let name: String

        public init(_ name: String) { self.name = name }

        /// A state's own timer.
        public static let timer = Kind("timer")
        /// The program that holds the machine.
        public static let program = Kind("program")
    }

    /// Who was at the other end.
    public enum Peer: Hashable, Sendable {
        case process(pid: Int32, uid: UInt32, gid: UInt32)
        case address(String)
        case device(String)

        fileprivate var account: String {
            switch self {
            case .process(_, let uid, _): "uid:\(uid)"
            case .address(let text), .device(let text): text
            }
        }

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
    public let peer: Peer?
    /// By what it was let in where that is not its way in alone: `token:desk`, `cert:anna`.
    public let principal: String?
    /// The account whose limits apply: the principal, else the user, host or device at the other end, unless the
    /// creator of the source names another.
    public let account: String

    public init(
        _ kind: Kind, peer: Peer? = nil, as principal: String? = nil, account: String? = nil
    ) {
        self.kind = kind
        self.peer = peer
        self.principal = principal
        self.account = account ?? principal ?? peer?.account ?? kind.name
    }

    /// The source as a value.
    public var value: Value {
        .object(
            [Member("kind", kind.name)]
                + (peer.map { [Member("peer", .object($0.members))] } ?? [])
                + (principal.map { [Member("as", $0)] } ?? []))
    }

    /// The program that holds the machine.
    public static let program = Source(.program)
    /// A state's own timer.
    public static let timer = Source(.timer)
}

/// Two sources are equal that a record shows alike.
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
