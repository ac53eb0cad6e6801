public import JSON

/// Where an event came from, for the record: every change names it.
///
/// A class, so that a connection makes it once and each of its events only points to it.
public final class Source: Sendable {
    /// The kinds of way in.
    public enum Kind: String, Sendable, CaseIterable {
        case unix, tcp, web, terminal, bluetooth, evdev, timer
    }

    /// Who was at the other end.
    public enum Peer: Equatable, Sendable {
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
    /// The source as JSON: made once, for it stands in each of its events' changes.
    public let json: [UInt8]

    public init(
        _ kind: Kind, peer: Peer? = nil, as principal: String? = nil, account: String? = nil
    ) {
        self.kind = kind
        self.peer = peer
        self.principal = principal
        self.account = account ?? principal ?? peer?.account ?? kind.rawValue
        json = Self.write(kind, peer, principal)
    }

    /// The source as a value.
    public var value: Value {
        .object(
            [Member("kind", kind.rawValue)]
                + (peer.map { [Member("peer", .object($0.members))] } ?? [])
                + (principal.map { [Member("as", $0)] } ?? []))
    }

    private static func write(_ kind: Kind, _ peer: Peer?, _ principal: String?) -> [UInt8] {
        JSONWriter.bytes {
            $0.beginObject()
            $0.name("kind")
            $0.string(kind.rawValue)
            if let peer {
                $0.name("peer")
                $0.object(peer.members)
            }
            if let principal {
                $0.name("as")
                $0.string(principal)
            }
            $0.endObject()
        }
    }

    /// The program that holds the machine.
    public static let program = Source(.terminal)
    /// A state's own timer.
    public static let timer = Source(.timer)
}
