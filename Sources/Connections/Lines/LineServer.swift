import Access
import CLinux
package import EventLoop
import GameFlow
import Glibc
package import Net
import Parts
import RPC
import Sessions
import Timers

/// Accepts connections for the protocol in lines, at the UNIX socket and over TCP, and owns them. Other nodes connect here too.
package final class LineServer: Transport {
    package let context: ServerContext
    private var listeners: [Listener] = []
    package private(set) var connections: [ObjectIdentifier: Connection] = [:]
    /// Network connections whose TLS handshake is not complete.
    private var handshakes: [ObjectIdentifier: TLSHandshake] = [:]
    package private(set) var isStopping = false
    /// The number of connections of the kind `applicant`. These connections were made while a limit for clients was reached.
    /// Their other ends have not yet proved that they are nodes.
    private var applicantCount = 0

    /// The maximum of `applicantCount`. Applicants are accepted, because otherwise many clients could keep other nodes out.
    package static let applicantLimit = 16

    package init(_ context: ServerContext) { self.context = context }

    private var loop: LibeventLoop { context.loop }

    /// Accepts clients at a UNIX socket, which this server then owns.
    package func open(_ socket: consuming UnixSocket) throws(EventLoopError) {
        listeners.append(
            try context.listener(at: .unix(socket)) {
                [unowned self] descriptor, since in
                admit(descriptor, Identity(.unix, Credentials(of: descriptor)), since: since)
            })
    }

    /// Accepts clients over TCP, with TLS if `security` is given.
    package func open(_ socket: consuming NetworkSocket, _ security: TLSContext?)
        throws(EventLoopError)
    {
        listeners.append(
            try context.listener(at: .network(socket)) {
                [unowned self] descriptor, since in
                // The address is unknown if the client has already disconnected.
                let address = NetworkSocket.peer(of: descriptor) ?? "?"
                guard let security else {
                    return admit(descriptor, Identity(.tcp, address: address), since: since)
                }
                beginHandshake(descriptor, address, security, since: since)
            })
    }

    // MARK: clients

    /// The number of connections, including connections of nodes, and connections whose TLS handshake is not complete.
    package var clientCount: Int { connections.count + handshakes.count }

    /// The number of clients at UNIX sockets, of clients over TCP, and of nodes.
    package var clientCounts: [(kind: String, count: Int)] {
        var (unix, tcp, nodes) = (0, handshakes.count, 0)
        for connection in connections.values {
            switch connection.peerKind {
            case .node: nodes += 1
            case .client, .applicant:
                if connection.identity.kind == .unix { unix += 1 } else { tcp += 1 }
            }
        }
        return [("unix", unix), ("tcp", tcp), ("node", nodes)]
    }

    /// Makes a connection without TLS for an accepted socket. Beyond a limit, sends the error of the limit and closes the
    /// socket. The connection was made after the instant `since`.
    private func admit(_ descriptor: Int32, _ identity: Identity, since: Instant) {
        let refusal = context.rejection(identity)
        if let refusal, !mayBeNode(identity) {
            let line = context.protocolHandler.refusal(refusal)
            _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            close(descriptor)
            return
        }
        if identity.kind == .tcp { NetworkSocket.disableSendDelay(descriptor) }
        do {
            // A client of the UNIX socket can pass an open file, to which `backup` writes.
            let files = identity.kind == .unix ? context.passedFiles : nil
            let channel = try PlainChannel(descriptor, on: loop, files: files)
            addConnection(
                channel, identity, refusal.map { .applicant($0) } ?? .client, since: since)
        } catch { close(descriptor) }
    }

    /// Whether a connection beyond a limit for clients is accepted as an applicant, because another node may have made it.
    private func mayBeNode(_ identity: Identity) -> Bool {
        context.router != nil && identity.kind == .tcp && applicantCount < Self.applicantLimit
    }

    /// Creates and counts the connection for a channel.
    @discardableResult
    private func addConnection(
        _ channel: any Channel, _ identity: Identity, _ peerKind: Connection.PeerKind,
        since: Instant
    ) -> Connection {
        let connection = Connection(channel, identity, peerKind, since: since, of: self)
        connections[ObjectIdentifier(connection)] = connection
        context.authorizer.addCaller(connection)
        startCounting(peerKind, identity)
        return connection
    }

    /// Counts a connection as one of this kind. Nodes are not limited, so their connections are not counted.
    private func startCounting(_ peerKind: Connection.PeerKind, _ identity: Identity) {
        switch peerKind {
        case .client: context.startCounting(connectionFrom: identity.host)
        case .applicant: applicantCount += 1
        case .node: break
        }
    }

    /// Stops counting a connection as one of this kind, because the connection has ended or now has another kind.
    func stopCounting(_ peerKind: Connection.PeerKind, _ identity: Identity) {
        switch peerKind {
        case .client: context.stopCounting(connectionFrom: identity.host)
        case .applicant: applicantCount -= 1
        case .node: break
        }
    }

    /// Begins the TLS handshake of an accepted connection.
    private func beginHandshake(
        _ descriptor: Int32, _ address: String, _ security: TLSContext, since: Instant
    ) {
        // A connection beyond a limit is closed, unless it may come from a node. The client gets no error message, because no
        // line can be sent before the TLS handshake.
        let identity = Identity(.tcp, address: address)
        let refusal = context.rejection(identity)
        guard refusal == nil || mayBeNode(identity),
            let channel = context.tlsChannel(descriptor, security, identity)
        else {
            close(descriptor)
            return
        }
        let peerKind: Connection.PeerKind = refusal.map { .applicant($0) } ?? .client
        startCounting(peerKind, identity)
        // The time limit for a complete request also applies to the handshake.
        let handshake = TLSHandshake(channel, on: loop, within: context.limits.requestTime) {
            [unowned self] handshake, end in
            handshakes[ObjectIdentifier(handshake)] = nil
            // `addConnection` counts the connection again.
            stopCounting(peerKind, identity)
            if channel.isOfNode { return endNodeHandshake(channel, identity, since: since) }
            guard end == .complete, refusal == nil, !isStopping else {
                switch end {
                case .complete: break
                case .failed: context.authorizer.logRefusedConnection(identity)
                case .late:
                    context.accountLimits.report(
                        "headerMs", identity.account,
                        "\(identity.logDescription): closed, because its TLS handshake took too long"
                    )
                }
                return channel.close()
            }
            addConnection(
                channel, Identity(.tcp, address: address, certificate: channel.certificateName),
                .client, since: since)
            // The client's first bytes may have arrived together with the end of the handshake.
            channel.callReadableLater()
        }
        handshakes[ObjectIdentifier(handshake)] = handshake
    }

    /// Called when the TLS handshake with a peer that requested the protocol of nodes has ended. Accepts the peer as a node, or
    /// closes the connection.
    private func endNodeHandshake(
        _ channel: TLSChannel, _ identity: Identity, since: Instant
    ) {
        let refusal = channel.nodeRefusal
        guard refusal == nil, let router = context.router, !isStopping else {
            if let refusal {
                context.authorizer.logRefusedConnection(
                    identity, "TLS: not accepted as a node: \(refusal)")
            }
            return channel.close()
        }
        addConnection(channel, identity, .node, since: since).beginNodeProtocol(router)
        channel.callReadableLater()
    }

    /// Releases a connection; called when it was closed.
    package func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        context.authorizer.removeCaller(connection)
        stopCounting(connection.peerKind, connection.identity)
    }

    // MARK: stop

    package func dropConnections() {
        for listener in listeners { listener.dropWaitingConnections() }
        for handshake in Array(handshakes.values) { handshake.cancel() }
        for connection in Array(connections.values) { connection.close() }
    }

    /// After `stop`: the number of clients to which replies are still being sent.
    package var unfinishedClients: Int { connections.count }

    package func stop() {
        isStopping = true
        listeners = []
        handshakes = [:]
        for connection in connections.values {
            connection.end()
            connection.flush()
        }
    }
}
