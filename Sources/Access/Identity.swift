package import GameFlow
package import Net
package import Parts
package import RPC

/// Who the client of a connection is. The identity consists of the kind of the connection, the peer, the client's certificate
/// and the client's token. The kernel or the network reports the peer. The client presents the certificate and the token.
package struct Identity {
    /// The kind of connection, such as `unix`, `tcp` or `web`.
    package var kind: Source.Kind { source.kind }
    /// The process or the address at the other end of the connection; nil if it is not known.
    package var peer: Source.Peer? { source.peer }
    /// The name in the client's certificate; nil if the client presented no certificate.
    package let certificate: String?
    /// The name of the client's token; nil if the client presented no token.
    package private(set) var token: String?
    /// The ids of the groups of the client's process; empty for a client on the network.
    private let groups: [UInt32]
    /// The source that is recorded with each change that the client causes.
    package private(set) var source: Source

    /// The identity of a client of a UNIX socket. The credentials are nil if the kernel does not know the client's process.
    package init(_ kind: Source.Kind, _ credentials: Credentials?) {
        groups = credentials.map { [$0.gid] + $0.groups } ?? []
        certificate = nil
        source = Source(
            kind, peer: credentials.map { .process(pid: $0.pid, uid: $0.uid, gid: $0.gid) },
            account: credentials.map { Principal.uid($0.uid).text })
    }

    /// The identity of a client on the network. `certificate` is the name in the client's certificate, if it presented one.
    package init(_ kind: Source.Kind, address: String, certificate: String? = nil) {
        groups = []
        self.certificate = certificate
        let principal = certificate.map { Principal.cert($0).text }
        source = Source(
            kind, peer: .address(address), as: principal,
            account: principal ?? NetworkHost.of(address))
    }

    /// The identity of a client of another node, which has authenticated the client and relays its requests with this source.
    package init(relayed source: Source) {
        (self.source, groups, certificate) = (source, [], nil)
    }

    /// Records that the client presented the token of this name. From now on, the client's account is the token's.
    package mutating func addToken(named name: String) {
        token = name
        let principal = Principal.token(name).text
        source = Source(kind, peer: peer, as: principal, account: principal)
    }

    /// All principals by which a rule can refer to the client.
    package var principals: Set<Principal> {
        var principals: Set<Principal> = [.source(kind)]
        if case .process(_, let uid, _) = peer { principals.insert(.uid(uid)) }
        for group in groups { principals.insert(.group(group)) }
        if let certificate { principals.insert(.cert(certificate)) }
        if let token { principals.insert(.token(token)) }
        return principals
    }

    /// The account to which the client's requests are counted: the token, else the certificate, else the user at a UNIX socket,
    /// else the host.
    package var account: String { source.account }

    /// The client's host, as `NetworkHost` names it; nil for a client that is not on the network.
    package var host: String? {
        guard case .address(let address)? = peer else { return nil }
        return NetworkHost.of(address)
    }

    /// The fields of a line of the log about this client.
    package var logFields: [LogField] { LogField.fields(ofAccount: account) }

    /// A description for the log.
    package var logDescription: String {
        let peerText: String
        switch peer {
        case .process(let pid, let uid, _): peerText = "pid \(pid) (uid \(uid))"
        case .address(let address): peerText = "\(kind.name) \(address)"
        case .device, nil: peerText = "a client"
        }
        return source.principal.map { "\(peerText), \($0)" } ?? peerText
    }
}
