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
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// Network connections whose TLS handshake is not complete.
    private var arriving: [ObjectIdentifier: TLSHandshake] = [:]
    private(set) var isStopping = false

    init(_ context: ServerContext) { self.context = context }

    private var loop: LibeventLoop { context.loop }

    /// Accepts clients at the UNIX socket.
    func open(_ socket: consuming UnixSocket) throws(EventLoopError) {
        let descriptor = socket.descriptor
        self.socket = consume socket
        listeners.append(
            try Listener(descriptor, context) { [unowned self] client in
                admit(client, Identity(.unix, Credentials(of: client)))
            })
    }

    /// Accepts clients over TCP, with TLS if `security` is given.
    func open(_ socket: consuming NetworkSocket, _ security: TLSContext?) throws(EventLoopError) {
        let descriptor = socket.take()
        listeners.append(
            try Listener(descriptor, context, owns: true) { [unowned self] client in
                let address = NetworkSocket.peer(of: client) ?? "?"
                guard let security else { return admit(client, Identity(.tcp, address: address)) }
                arrive(client, address, security)
            })
    }

    // MARK: clients

    /// The number of connected clients.
    var clients: Int { connections.count + arriving.count }

    private func admit(_ client: Int32, _ identity: Identity) {
        if let refusal = context.rejection(identity) {
            let line = context.protocolHandler.refusal(refusal)
            _ = line.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
            close(client)
            return
        }
        if identity.kind == .tcp { NetworkSocket.sendAtOnce(client) }
        let urgency: EventPriority = identity.kind == .unix ? .first : .second
        do {
            let files = identity.kind == .unix ? context.passedFiles : nil
            welcome(try PlainChannel(client, on: loop, urgency, files: files), identity)
        } catch { close(client) }
    }

    @discardableResult
    private func welcome(_ channel: any Channel, _ identity: Identity) -> Connection {
        let connection = Connection(channel, identity, of: self)
        connections[ObjectIdentifier(connection)] = connection
        context.enter(connection)
        return connection
    }

    private func arrive(_ client: Int32, _ address: String, _ security: TLSContext) {
        // Before the TLS handshake no error can be sent: a client beyond the limit is only
        // disconnected.
        let identity = Identity(.tcp, address: address)
        guard context.rejection(identity) == nil,
            let channel = TLSChannel(
                client, security, of: context,
                reportRecordFlood: { [authorizer = context.authorizer] in
                    authorizer.reportRecordFlood(identity, records: $0)
                })
        else {
            close(client)
            return
        }
        context.arrive(from: identity.host)
        let arrival = TLSHandshake(channel, on: loop, within: context.limits.header)
        arriving[ObjectIdentifier(arrival)] = arrival
        arrival.done = { [unowned self, unowned arrival] hasArrived in
            arriving[ObjectIdentifier(arrival)] = nil
            context.depart(from: identity.host)
            if channel.isOfNode { return arriveNode(channel, identity) }
            guard hasArrived, !isStopping else {
                if !hasArrived { context.authorizer.failed(identity) }
                return channel.close()
            }
            welcome(
                channel, Identity(.tcp, address: address, certificate: channel.certificateName))
            channel.callAgain()
        }
    }

    /// The handshake of one that wants to be a node has ended.
    private func arriveNode(_ channel: TLSChannel, _ identity: Identity) {
        let refusal = channel.nodeRefusal
        guard refusal == nil, let router = context.router, !isStopping else {
            if let refusal {
                context.authorizer.failed(identity, "not accepted as a node: \(refusal)")
            }
            return channel.close()
        }
        welcome(channel, identity).accept(nodeOf: router)
        channel.callAgain()
    }

    func forget(_ connection: Connection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        context.leave(connection)
    }

    // MARK: stop

    var unfinished: Int { connections.count }

    func stop() {
        isStopping = true
        listeners = []
        socket = nil
        arriving = [:]
        for connection in connections.values {
            connection.end()
            connection.flush()
        }
    }
}
