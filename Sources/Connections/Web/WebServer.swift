import Access
package import EventLoop
import GameFlow
import Glibc
package import HTTP
package import Net
import Parts
import RPC
import Sessions
import Support
import Timers

/// Serves the web pages and the HTTP interface at one address.
package final class WebServer: Transport {
    package let context: ServerContext
    /// The daemon's instance name, with which event ids begin.
    package let instance: String
    private let place: Place
    /// Names, proxies and other origins.
    package let access: WebAccess
    /// Whether the server serves only the metrics, and these without rights (`--metrics`).
    package let isForMetrics: Bool
    /// Limits how often refused headers `Host` and `Origin` are logged.
    private var refusedOrigins = LogThrottle(limit: 256)
    /// Checks the headers `Host` and `Origin` of requests.
    package let origin: WebOrigin
    package let pages = CompressedPages()
    /// The header `Date` of responses.
    @exclusivity(unchecked) package var date = HTTPDate()
    /// Accepts connections; nil after `stop`.
    private var listener: Listener?
    package private(set) var connections: [ObjectIdentifier: HTTPConnection] = [:]
    package private(set) var isStopping = false
    /// The virtual time in the newest notification `clock` to the streams.
    private var notifiedTime: Instant

    /// Where the server listens.
    private enum Place {
        case unix(path: String)
        /// At an address such as `127.0.0.1:8080`. `port` is the part after the colon, which each request reads. `security` is nil
        /// for HTTP without TLS.
        case network(address: String, port: String, security: TLSContext?)
    }

    /// The address at which the server listens: `127.0.0.1:8080`, or the path of a UNIX socket.
    package var address: String {
        switch place {
        case .unix(let path): path
        case .network(let address, _, _): address
        }
    }

    package var isUnix: Bool { if case .unix = place { true } else { false } }

    /// The TLS certificate and keys; nil for HTTP without TLS.
    package var security: TLSContext? {
        if case .network(_, _, let security) = place { security } else { nil }
    }

    /// The port at which the server listens, which is part of the names of cookies; nil at a UNIX socket.
    var port: String? { if case .network(_, let port, _) = place { port } else { nil } }

    /// Listens at a network address.
    package convenience init(
        _ socket: consuming NetworkSocket, _ context: ServerContext, instance: String,
        _ security: TLSContext?, access: WebAccess, isForMetrics: Bool = false
    ) throws(EventLoopError) {
        let address = socket.address
        let port = String(address.split(separator: ":").last ?? "")
        self.init(
            context, instance, .network(address: address, port: port, security: security), access,
            isForMetrics)
        try listen(.network(socket))
    }

    /// Listens at a UNIX socket.
    package convenience init(
        _ socket: consuming UnixSocket, _ context: ServerContext, instance: String,
        access: WebAccess, isForMetrics: Bool = false
    ) throws(EventLoopError) {
        self.init(context, instance, .unix(path: socket.path), access, isForMetrics)
        try listen(.unix(socket))
    }

    private init(
        _ context: ServerContext, _ instance: String, _ place: Place, _ access: WebAccess,
        _ isForMetrics: Bool
    ) {
        self.isForMetrics = isForMetrics
        (self.context, self.instance, self.place) = (context, instance, place)
        self.access = access
        origin =
            switch place {
            case .unix: WebOrigin(names: { access.hosts }, origins: access.origins, isUnix: true)
            case .network(_, _, let security):
                WebOrigin(
                    names: { access.hosts + (security?.names ?? []) }, origins: access.origins,
                    isUnix: false)
            }
        // Begins to look at the storage.
        _ = context.health
        notifiedTime = context.sessions.now
        if context.sessions.isVirtual {
            context.beforeSleep.append { [unowned self] in announceVirtualTime() }
        }
    }

    private func listen(_ socket: consuming ListeningSocket) throws(EventLoopError) {
        listener = try context.listener(at: socket) {
            [unowned self] in
            admit($0, since: $1)
        }
    }

    // MARK: connections

    /// Makes a connection for an accepted socket. Beyond a limit, sends the error of the limit, and closes the socket. The
    /// connection was made after the instant `since`.
    private func admit(_ descriptor: Int32, since: Instant) {
        // The address is unknown if the client has already disconnected.
        let peer = isUnix ? nil : NetworkSocket.peer(of: descriptor) ?? "?"
        let identity =
            peer.map { Identity(.web, address: $0) } ?? Identity(.web, Credentials(of: descriptor))
        let isFromProxy = access.proxies.contains(peer)
        if let refusal = context.rejection(identity, isProxy: isFromProxy) {
            // Nothing can be sent before the TLS handshake.
            if security == nil {
                let answer = WebError(.tooManyRequests, refusal).responseBytes
                _ = answer.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            }
            close(descriptor)
            return
        }
        if !isUnix { NetworkSocket.disableSendDelay(descriptor) }
        let localAddress = NetworkSocket.local(of: descriptor)
        guard let channel = channel(descriptor, identity) else {
            close(descriptor)
            return
        }
        let connection = HTTPConnection(
            channel, identity, at: localAddress, isFromProxy: isFromProxy, since: since, of: self)
        (channel as? TLSChannel)?.handshakeEnded = { [unowned connection] isComplete in
            connection.handshakeEnded(isComplete)
        }
        connections[ObjectIdentifier(connection)] = connection
        context.startCounting(connectionFrom: connection.countedHost)
    }

    /// The channel on an accepted socket; nil if memory is short.
    private func channel(_ descriptor: Int32, _ identity: Identity) -> (any Channel)? {
        guard let security else { return try? PlainChannel(descriptor, on: context.loop) }
        return context.tlsChannel(descriptor, security, identity)
    }

    /// Releases a connection; called when it was closed.
    package func remove(_ connection: HTTPConnection) {
        guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
        context.stopCounting(connectionFrom: connection.countedHost)
    }

    /// Logs that a request was refused because of its headers `Host` or `Origin`, the 1st, 2nd, 4th … time for each reason.
    func reportRefusedOrigin(_ why: String, from connection: HTTPConnection) {
        refusedOrigins.write(
            .warning, .forbidden, of: why,
            "\(connection.identity.logDescription) was refused: \(why)")
    }

    // MARK: streams

    /// The open streams.
    package var streams: [WebStream] { connections.values.compactMap(\.stream) }

    /// Notifies the streams if virtual time has changed since the last notification. Called before the loop sleeps.
    private func announceVirtualTime() {
        let now = context.sessions.now
        guard now != notifiedTime else { return }
        notifiedTime = now
        let notification = EventStreamForm.clock(context.sessions)
        for stream in streams { stream.receive(notification) }
    }

    // MARK: stop

    package func dropConnections() {
        listener?.dropWaitingConnections()
        for connection in Array(connections.values) { connection.close() }
    }

    package var unfinishedClients: Int { connections.values.count { $0.isAnswering } }

    package func stop() {
        isStopping = true
        listener = nil
        for connection in Array(connections.values) { connection.end() }
    }
}
