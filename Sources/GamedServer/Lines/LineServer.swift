import CLinux
import EventLoop
import GameFlow
import Glibc
import RPC
import Sessions
import Timers

/// Accepts clients that send lines, at the UNIX socket and over TCP, and owns their connections.
final class LineServer: Transport {
    let context: ServerContext
    private var socket: UnixSocket?
    private var listeners: [Listener] = []
    private(set) var connections: [ObjectIdentifier: Connection] = [:]
    /// Network connections whose TLS handshake is not complete.
    private var handshakes: [ObjectIdentifier: TLSHandshake] = [:]
    private(set) var isStopping = false
    /// The number of connections that were made while a limit for clients was reached, and that have not yet proved to be
    /// nodes.
    private var applicantCount = 0

    /// The maximum of `applicantCount`. These connections are accepted so that many clients cannot keep other nodes
    /// out.
    static let applicantLimit = 16

    init(_ context: ServerContext) { self.context = context }

    private var loop: LibeventLoop { context.loop }

    /// Accepts clients at a UNIX socket, which this server then owns.
    func open(_ socket: consuming UnixSocket) throws(EventLoopError) {
        let listeningDescriptor = socket.descriptor
        self.socket = consume socket
        listeners.append(
            try Listener(listeningDescriptor, context) { [unowned self] descriptor in
                admit(descriptor, Identity(.unix, Credentials(of: descriptor)))
            })
    }

    /// Accepts clients over TCP, with TLS if `security` is given.
    func open(_ socket: consuming NetworkSocket, _ security: TLSContext?) throws(EventLoopError) {
        let listeningDescriptor = socket.take()
        listeners.append(
            try Listener(listeningDescriptor, context, closesDescriptor: true) {
                [unowned self] descriptor in
                let address = NetworkSocket.peer(of: descriptor) ?? "?"
                guard let security else {
                    return admit(descriptor, Identity(.tcp, address: address))
                }
                beginHandshake(descriptor, address, security)
            })
    }

    // MARK: clients

    /// The number of connected clients.
    var clients: Int { connections.count + handshakes.count }

    private func admit(_ descriptor: Int32, _ identity: Identity) {
        let refusal = context.rejection(identity)
        if let refusal, !mayApply(identity) {
            let line = context.protocolHandler.refusal(refusal)
            _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            close(descriptor)
            return
        }
        if identity.kind == .tcp { NetworkSocket.sendAtOnce(descriptor) }
        let priority: EventPriority = identity.kind == .unix ? .high : .normal
        do {
            let files = identity.kind == .unix ? context.passedFiles : nil
            let channel = try PlainChannel(descriptor, on: loop, priority, files: files)
            addConnection(channel, identity, refusal.map { .applicant($0) } ?? .client)
        } catch { close(descriptor) }
    }

    /// Whether a connection beyond a limit for clients is accepted, because it may be that of another node.
    private func mayApply(_ identity: Identity) -> Bool {
        context.router != nil && identity.kind == .tcp && applicantCount < Self.applicantLimit
    }

    @discardableResult
    private func addConnection(
        _ channel: any Channel, _ identity: Identity, _ peerKind: Connection.PeerKind
    ) -> Connection {
        let connection = Connection(channel, identity, peerKind, of: self)
        connections[ObjectIdentifier(connection)] = connection
        context.authorizer.enter(connection)
        startCounting(peerKind, identity)
        if case .client = peerKind { context.counters.accepted += 1 }
        return connection
    }

    /// Counts a connection for the limits of its kind.
    private func startCounting(_ peerKind: Connection.PeerKind, _ identity: Identity) {
        switch peerKind {
        case .client: context.arrive(from: identity.host)
        case .applicant: applicantCount += 1
        case .node: break
        }
    }

    /// Stops counting a connection as one of this kind, because the connection has ended or now has another kind.
    func stopCounting(_ peerKind: Connection.PeerKind, _ identity: Identity) {
        switch peerKind {
        case .client: context.depart(from: identity.host)
        case .applicant: applicantCount -= 1
        case .node: break
        }
    }

    /// Begins the TLS handshake of an accepted connection.
    private func beginHandshake(_ descriptor: Int32, _ address: String, _ security: TLSContext) {
        // Before the TLS handshake no error can be sent: a client beyond the limit, unless it may be a node, is only
        // disconnected.
        let identity = Identity(.tcp, address: address)
        let refusal = context.rejection(identity)
        guard refusal == nil || mayApply(identity),
            let channel = TLSChannel(
                descriptor, security, of: context,
                reportRecordFlood: { [authorizer = context.authorizer] in
                    authorizer.reportRecordFlood(identity, records: $0)
                })
        else {
            close(descriptor)
            return
        }
        let peerKind: Connection.PeerKind = refusal.map { .applicant($0) } ?? .client
        startCounting(peerKind, identity)
        let handshake = TLSHandshake(channel, on: loop, within: context.limits.header)
        handshakes[ObjectIdentifier(handshake)] = handshake
        handshake.done = { [unowned self, unowned handshake] isComplete in
            handshakes[ObjectIdentifier(handshake)] = nil
            stopCounting(peerKind, identity)
            if channel.isOfNode { return endNodeHandshake(channel, identity) }
            guard isComplete, refusal == nil, !isStopping else {
                if !isComplete { context.authorizer.logRefusedConnection(identity) }
                return channel.close()
            }
            addConnection(
                channel, Identity(.tcp, address: address, certificate: channel.certificateName),
                .client)
            channel.callAgain()
        }
    }

    /// Called when the TLS handshake with a peer that requested the protocol of nodes has ended. Accepts the peer as a node, or
    /// closes the connection.
    private func endNodeHandshake(_ channel: TLSChannel, _ identity: Identity) {
        let refusal = channel.nodeRefusal
        guard refusal == nil, let router = context.router, !isStopping else {
            if let refusal {
                context.authorizer.logRefusedConnection(
                    identity, "TLS: not accepted as a node: \(refusal)")
            }
            return channel.close()
        }
        addConnection(channel, identity, .node).accept(nodeOf: router)
        channel.callAgain()
    }

    func remove(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        context.authorizer.leave(connection)
        stopCounting(connection.peerKind, connection.identity)
    }

    // MARK: stop

    /// The number of clients that, after `stop`, have not received all of their replies.
    var unfinished: Int { connections.count }

    func stop() {
        isStopping = true
        listeners = []
        socket = nil
        handshakes = [:]
        for connection in connections.values {
            connection.end()
            connection.flush()
        }
    }
}
