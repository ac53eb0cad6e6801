import Access
import GameFlow

/// Who is at the other end of a connection: the way in, whom the kernel or the network names there, and what
/// was shown since.
struct Identity {
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
        source = Source(kind, peer: peer, account: credentials.map { Principal.uid($0.uid).text })
    }

    /// Somebody on the network.
    init(_ kind: Source.Kind, address: String, certificate: String? = nil) {
        self.kind = kind
        peer = .address(address)
        groups = []
        self.certificate = certificate
        let principal = certificate.map { Principal.cert($0).text }
        source = Source(
            kind, peer: peer, as: principal, account: principal ?? NetworkHost.of(address))
    }

    /// He showed a token.
    mutating func show(token name: String) {
        token = name
        let principal = Principal.token(name).text
        source = Source(kind, peer: peer, as: principal, account: principal)
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

    /// Whose requests are counted together: those of a token, of a certificate, of the user of a UNIX socket,
    /// else of the host.
    var account: String { source.account }

    /// The host of the network; nil for a client at a UNIX socket.
    var host: String? {
        guard case .address(let address)? = peer else { return nil }
        return NetworkHost.of(address)
    }

    /// For the log.
    var described: String {
        let who: String
        switch peer {
        case .process(let pid, let uid, _): who = "pid \(pid) (uid \(uid))"
        case .address(let address): who = "\(kind.name) \(address)"
        case .device, nil: who = "a client"
        }
        return source.principal.map { "\(who), \($0)" } ?? who
    }
}
