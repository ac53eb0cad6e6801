import COpenSSL
import GameFlow
import JSONCoding
import RPC
import Sessions
import Support

/// One line between two nodes: `!` and a JSON object. One connection carries the requests of all
/// clients of a node, each under its own number.
enum NodeFrame: Equatable {
    /// The first line, from the node that connects: its name, and a number that is used once.
    case hello(node: String, nonce: String)
    /// The answer: another such number, and the proof that the sender has the secret.
    case challenge(nonce: String, proof: String)
    /// The proof of the node that connects.
    case proof(String)
    /// The nodes have proved themselves.
    case ready
    /// A client's source and rights, before its first request and when they change.
    case client(Int, source: Value, grants: Value)
    /// A request of a client, or a line that the client gets.
    case line(Int, String)
    /// A shard has another owner: what the client watches there goes on elsewhere.
    case moved(Int, shard: Int)
    /// The client is gone.
    case end(Int)
    /// Keeps the connection open.
    case ping

    /// The first byte of each frame, with which no other line begins.
    static let mark = UInt8(ascii: "!")
    /// The greatest length of a frame in bytes: each byte of a client's line may take six.
    static let limit = 8 * LineBuffer.limit

    /// The frame as a line, newline included.
    var bytes: [UInt8] {
        [Self.mark] + JSONWriter.bytes { $0.object(members) } + [0x0A]
    }

    private var members: [Member] {
        switch self {
        case .hello(let node, let nonce): [Member("hello", node), Member("nonce", nonce)]
        case .challenge(let nonce, let proof):
            [Member("challenge", nonce), Member("proof", proof)]
        case .proof(let proof): [Member("proof", proof)]
        case .ready: [Member("ready", .bool(true))]
        case .client(let client, let source, let grants):
            [Member("client", client), Member("source", source), Member("grants", grants)]
        case .line(let client, let line): [Member("client", client), Member("line", line)]
        case .moved(let client, let shard): [Member("client", client), Member("moved", shard)]
        case .end(let client): [Member("client", client), Member("end", .bool(true))]
        case .ping: [Member("ping", .bool(true))]
        }
    }

    /// Reads a frame, without its newline; nil if the line is not a frame.
    init?(_ line: some Collection<UInt8>) {
        var text = JSONText()
        guard line.first == Self.mark, (try? text.read(Array(line.dropFirst())[...])) != nil,
            text.kind(JSONText.root) == .object
        else { return nil }
        self.init(text.object(at: JSONText.root))
    }

    private init?(_ members: [Member]) {
        func text(_ name: String) -> String? { members[name]?.text }
        func number(_ name: String) -> Int? {
            guard case .int(let number)? = members[name] else { return nil }
            return number
        }
        if let client = number("client") {
            if let line = text("line") {
                self = .line(client, line)
            } else if let shard = number("moved") {
                self = .moved(client, shard: shard)
            } else if let source = members["source"], let grants = members["grants"] {
                self = .client(client, source: source, grants: grants)
            } else if members["end"] != nil {
                self = .end(client)
            } else {
                return nil
            }
        } else if let node = text("hello"), let nonce = text("nonce") {
            self = .hello(node: node, nonce: nonce)
        } else if let nonce = text("challenge"), let proof = text("proof") {
            self = .challenge(nonce: nonce, proof: proof)
        } else if let proof = text("proof") {
            self = .proof(proof)
        } else if members["ready"] != nil {
            self = .ready
        } else if members["ping"] != nil {
            self = .ping
        } else {
            return nil
        }
    }
}

/// The secret that all nodes of a store share, and what proves that a node has it.
struct NodeSecret {
    private let key: [UInt8]

    /// The shortest secret that is accepted, in bytes.
    static let shortest = 16

    init(_ key: [UInt8]) { self.key = key }

    /// A number that is used once. Wraps RAND_bytes(3).
    static func makeNonce() -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        // Without random bytes no proof is accepted.
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { return "" }
        return Hexadecimal.write(bytes, uppercase: false)
    }

    /// The side of a connection that proves itself. A proof of one side is not valid for the other.
    enum Side: String { case connecting, accepting }

    /// HMAC-SHA-256 of the side and both numbers. Wraps HMAC(3).
    func proof(of side: Side, _ nonces: String...) -> String {
        let text = Array(([side.rawValue] + nonces).joined(separator: " ").utf8)
        var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        var count = UInt32(code.count)
        HMAC(EVP_sha256(), key, Int32(clamping: key.count), text, text.count, &code, &count)
        return Hexadecimal.write(code, uppercase: false)
    }

    /// Compares two proofs in constant time. Wraps CRYPTO_memcmp(3).
    static func matches(_ a: String, _ b: String) -> Bool {
        let (a, b) = (Array(a.utf8), Array(b.utf8))
        return !a.isEmpty && a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }
}

extension Source {
    /// A source that another node has recorded; nil if the value is not a source.
    convenience init?(relayed value: Value) {
        guard case .object(let members) = value, let kind = members["kind"]?.text else {
            return nil
        }
        var peer: Peer?
        if case .object(let parts)? = members["peer"] {
            func number(_ name: String) -> Int {
                if case .int(let number)? = parts[name] { number } else { 0 }
            }
            if let address = parts["address"]?.text {
                peer = .address(address)
            } else if let device = parts["device"]?.text {
                peer = .device(device)
            } else {
                peer = .process(
                    pid: Int32(clamping: number("pid")), uid: UInt32(clamping: number("uid")),
                    gid: UInt32(clamping: number("gid")))
            }
        }
        self.init(Kind(kind), peer: peer, as: members["as"]?.text)
    }
}

extension Rights {
    /// The grants as a value that `init(relayed:)` reads.
    var relayed: Value {
        .array(
            grants.map {
                .array([
                    .string($0.role.name), .string($0.session.pattern), .string($0.event.pattern),
                    .object($0.bound), .bool($0.allowsGET),
                ])
            })
    }

    /// Rights that another node has determined; nil if the value does not describe rights.
    convenience init?(relayed value: Value) {
        guard case .array(let values) = value else { return nil }
        var grants: [Grant] = []
        for value in values {
            guard case .array(let parts) = value, parts.count == 5,
                let role = parts[0].text.flatMap(Role.init), let session = parts[1].text,
                let event = parts[2].text, case .object(let bound) = parts[3],
                case .bool(let allowsGET) = parts[4]
            else { return nil }
            grants.append(
                Grant(
                    role, session: Glob(session), event: Glob(event), bound: bound,
                    allowsGET: allowsGET))
        }
        self.init(grants)
    }
}
