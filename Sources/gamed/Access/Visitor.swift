import Access
import GameFlow

/// Who is at the other end of a connection: the way in, whom the kernel or the network names there, and what
/// was shown since.
struct Visitor {
    let kind: Source.Kind
    let peer: Source.Peer?
    /// The name of the client certificate that was shown.
    let certificate: String?
    /// The name of the token that was shown.
    private(set) var token: String?
    private let groups: [UInt32]
    /// What each change that it causes names as its source.
    private(set) var source: Source

    /// Somebody at a UNIX socket, with what the kernel says of him.
    init(_ kind: Source.Kind, _ credentials: Credentials?) {
        self.kind = kind
        peer = credentials.map { .process(pid: $0.pid, uid: $0.uid, gid: $0.gid) }
        groups = credentials.map { [$0.gid] + $0.groups } ?? []
        certificate = nil
        source = Source(kind, peer: peer)
    }

    /// Somebody on the network.
    init(_ kind: Source.Kind, address: String, certificate: String? = nil) {
        self.kind = kind
        peer = .address(address)
        groups = []
        self.certificate = certificate
        source = Source(kind, peer: peer, as: certificate.map { Principal.cert($0).text })
    }

    /// He showed a token.
    mutating func show(token name: String) {
        token = name
        source = Source(kind, peer: peer, as: Principal.token(name).text)
    }

    /// Everything that a rule could name him by.
    var principals: Set<Principal> {
        var principals: Set<Principal> = [.source(kind)]
        if case .process(_, let uid, _) = peer { principals.insert(.uid(uid)) }
        for group in groups { principals.insert(.group(group)) }
        if let certificate { principals.insert(.cert(certificate)) }
        if let token { principals.insert(.token(token)) }
        return principals
    }

    /// Whose requests and connections are counted together: the bearer of a token, of a certificate, the user
    /// of a UNIX socket, else the host.
    var account: String {
        if let token { return Principal.token(token).text }
        if let certificate { return Principal.cert(certificate).text }
        switch peer {
        case .process(_, let uid, _): return Principal.uid(uid).text
        case .address(let address): return Self.host(address)
        case .device(let device): return device
        case nil: return kind.rawValue
        }
    }

    /// From which host he comes; nil of one at a UNIX socket.
    var host: String? {
        guard case .address(let address)? = peer else { return nil }
        return Self.host(address)
    }

    /// An address without its port.
    static func host(_ address: String) -> String {
        guard let colon = address.lastIndex(of: ":") else { return address }
        return String(address[..<colon])
    }

    /// For the log.
    var described: String {
        let who: String
        switch peer {
        case .process(let pid, let uid, _): who = "pid \(pid) (uid \(uid))"
        case .address(let address): who = "\(kind.rawValue) \(address)"
        case .device, nil: who = "a client"
        }
        return source.principal.map { "\(who), \($0)" } ?? who
    }
}
