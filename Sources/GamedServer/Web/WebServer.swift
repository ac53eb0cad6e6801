import CEventHTTP
import EventLoop
import RPC
import Sessions
import Support
import Timers

/// Serves the web pages and the HTTP interface at one address, with libevent's evhttp.
final class WebServer: Transport {
    let context: ServerContext
    /// The daemon's instance name, with which event ids begin.
    let instance: String
    /// The TLS certificate and keys; nil for HTTP without TLS.
    let security: TLSContext?
    /// The address at which the server listens: `127.0.0.1:8080`, or the path of a UNIX socket.
    let address: String
    let isUnix: Bool
    /// Names, proxies and other origins.
    let access: WebAccess
    /// Limits how often refused headers `Host` and `Origin` are logged.
    private var refusedOrigins = LogThrottle(limit: 256)
    /// Checks the headers `Host` and `Origin` of requests.
    let origin: WebOrigin
    let connections: WebConnections
    /// Writes the metrics for `/metrics`.
    let metrics: Metrics
    let pages = CompressedPages()
    /// The `evhttp`.
    private let http: OpaquePointer
    /// The `evconnlistener`, which belongs to the `evhttp`; nil after `stop`.
    private var listener: OpaquePointer?
    /// The UNIX socket at which the server listens; nil at a network address, and after `stop`.
    private var socket: UnixSocket?
    /// Accepts connections again after a pause.
    private var acceptTimer: ScopedPendulum?
    /// The calls and streams whose answers are not complete. The server keeps each object until its answer is complete.
    private(set) var openClients: [ObjectIdentifier: any Client] = [:]
    /// The virtual time in the newest notification `clock` to the streams.
    private var notifiedTime: Instant
    /// Requests that wait for a later turn of the loop, because the turn in which they arrived had no time for them.
    var waitingRequests = Deque<WebRequest>()
    /// Calls `answerWaiting`.
    private(set) var resumeTask: DeferredTask!

    /// Listens at a network address.
    convenience init(
        _ socket: consuming NetworkSocket, _ context: ServerContext, instance: String,
        _ security: TLSContext?, access: WebAccess
    ) throws(EventLoopError) {
        let address = socket.address
        try self.init(context, instance, security, address, isUnix: false, access)
        try listen(socket.takeDescriptor(), flags: LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE)
    }

    /// Listens at a UNIX socket.
    convenience init(
        _ socket: consuming UnixSocket, _ context: ServerContext, instance: String,
        access: WebAccess
    ) throws(EventLoopError) {
        let descriptor = socket.descriptor
        try self.init(context, instance, nil, socket.path, isUnix: true, access)
        self.socket = consume socket
        try listen(descriptor, flags: LEV_OPT_CLOSE_ON_EXEC)
    }

    /// Wraps `evhttp_new`.
    private init(
        _ context: ServerContext, _ instance: String, _ security: TLSContext?, _ address: String,
        isUnix: Bool, _ access: WebAccess
    ) throws(EventLoopError) {
        guard let http = evhttp_new(context.loop.base) else { throw .unavailable("evhttp") }
        (self.context, self.instance, self.security) = (context, instance, security)
        (self.http, self.address, self.isUnix) = (http, address, isUnix)
        self.access = access
        origin = WebOrigin(
            names: { access.hosts + (security?.names ?? []) }, origins: access.origins,
            isUnix: isUnix)
        connections = WebConnections(context, isSecure: security != nil, access.proxies)
        metrics = Metrics(context)
        // Begins to look at the storage.
        _ = context.health
        notifiedTime = context.sessions.now
        resumeTask = DeferredTask(on: context.loop) { [unowned self] in
            answerWaiting()
        }
        prepare()
    }

    deinit {
        // A released stream ends its reply, for which the `evhttp` must still exist.
        openClients = [:]
        evhttp_free(http)
    }

    // MARK: libevent

    /// Sets the limits and the callbacks of the `evhttp`.
    private func prepare() {
        evhttp_set_max_headers_size(http, context.limits.headerBytes)
        evhttp_set_max_body_size(http, context.limits.bodyBytesRead)
        // evhttp accepts all nine methods that it knows; each bit stands for one method. `route` checks the method for each
        // path.
        evhttp_set_allowed_methods(http, 0x1FF)
        // `WebConnections` measures idle time instead, so evhttp's own limit is a week, in seconds.
        evhttp_set_timeout(http, 7 * 86_400)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_set_bevcb(
            http,
            { _, me in
                // Called before a connection is accepted.
                Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue().makeBuffers()
            }, me)
        evhttp_set_gencb(
            http,
            { request, me in
                // Called when a request has arrived.
                let server = Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue()
                server.handle(WebRequest(request!))
            }, me)
        if context.sessions.isVirtual {
            context.beforeSleep.append { [unowned self] in announceVirtualTime() }
        }
    }

    /// Accepts connections at the descriptor of a listening socket. If a connection cannot be accepted, for example because no
    /// descriptor is free, accepting pauses for at most the limit `acceptPause`. Wraps `evhttp_bind_listener`.
    private func listen(_ descriptor: Int32, flags: UInt32) throws(EventLoopError) {
        // The backlog 0 means that the socket listens already.
        let backlog: Int32 = 0
        guard
            let listener = evconnlistener_new(
                context.loop.base, nil, nil, flags, backlog, descriptor),
            evhttp_bind_listener(http, listener) != nil
        else { throw .unavailable("a listener for HTTP") }
        self.listener = listener
        evconnlistener_set_error_cb(listener) { listener, _ in evconnlistener_disable(listener) }
        acceptTimer = ScopedPendulum(on: context.loop, context.limits.acceptPause) {
            [unowned self] _ in
            if let listener = self.listener { evconnlistener_enable(listener) }
        }
    }

    /// Creates the bufferevent of a connection that is about to be accepted. Wraps
    /// `bufferevent_socket_new`, `bufferevent_openssl_socket_new`.
    private func makeBuffers() -> OpaquePointer? {
        let base = context.loop.base
        let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue)
        // libevent sets the descriptor when it accepts the connection.
        let noDescriptor: Int32 = -1
        let tlsBuffers = security?.makeSSL().flatMap {
            bufferevent_openssl_socket_new(
                base, noDescriptor, $0, BUFFEREVENT_SSL_ACCEPTING, options)
        }
        guard let buffers = tlsBuffers ?? bufferevent_socket_new(base, noDescriptor, options)
        else { return nil }
        // A body must fit into the buffer, and further input must not accumulate.
        let bufferLimit = context.limits.bodyBytesRead + context.limits.headerBytes
        bufferevent_setwatermark(buffers, Int16(EV_READ), 0, bufferLimit)
        // Clients may close the connection without the closing message of TLS. HTTP shows by itself whether a message is
        // complete.
        if let tlsBuffers { bufferevent_openssl_set_allow_dirty_shutdown(tlsBuffers, 1) }
        WebErrorPage.watch(buffers)
        // If this server uses TLS but the TLS object could not be created, the connection is closed unread.
        connections.willAccept(buffers, isWelcome: tlsBuffers != nil || security == nil)
        return buffers
    }

    /// Makes libevent call `WebConnections.replySent` when the answer to the request was sent completely. Wraps
    /// `evhttp_request_set_on_complete_cb`.
    func trackCompletion(_ request: WebRequest) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_request_set_on_complete_cb(
            request.request,
            { request, me in
                let server = Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue()
                let request = WebRequest(request!)
                server.connections.replySent(request.descriptor, request.bufferevent)
            }, me)
    }

    /// Logs that a request was refused because of its headers `Host` or `Origin`, the 1st, 2nd, 4th … time for each reason.
    func reportRefusedOrigin(_ why: String, from connection: WebConnection?) {
        let count = refusedOrigins.count(why)
        guard LogThrottle.isLogged(count) else { return }
        let peer = connection?.socketIdentity.logDescription ?? "a client"
        let times = count == 1 ? "" : "; \(count) times so far"
        Log.write(.warning, "\(peer) was refused: \(why)\(times)")
    }

    // MARK: calls and streams

    /// Keeps a call or a stream until `removeClient`, which is called when its answer is complete.
    func addClient(_ client: any Client) { openClients[ObjectIdentifier(client)] = client }
    func removeClient(_ client: any Client) { openClients[ObjectIdentifier(client)] = nil }
    /// The number of open streams.
    var streamCount: Int { openClients.values.reduce(0) { $0 + ($1 is WebStream ? 1 : 0) } }

    /// Notifies the streams if virtual time has changed since the last notification. Called before the loop sleeps.
    private func announceVirtualTime() {
        let now = context.sessions.now
        guard now != notifiedTime else { return }
        notifiedTime = now
        let notification = EventStreamForm.clock(context.sessions)
        for case let stream as WebStream in openClients.values { stream.enqueue(notification) }
    }

    // MARK: stop

    func dropConnections() {
        if let listener { connections.dropWaiting(at: evconnlistener_get_fd(listener)) }
        // The sockets are shut down first, so that no answer of before is sent.
        connections.dropAll()
        while let request = waitingRequests.removeFirst() { request.reply(Self.standstillError) }
        for client in Array(openClients.values) {
            switch client {
            case let call as WebCall: call.refuse(Self.standstillError)
            case let stream as WebStream: stream.close()
            default: client.close()
            }
        }
    }

    /// The answer to a request that was sent before a standstill. The client does not get it, but libevent needs an answer.
    static let standstillError = WebError(
        .unavailable, why: "the daemon stood still after the request was sent")

    var unfinishedClients: Int { connections.unfinishedClients + waitingRequests.count }

    func stop() {
        acceptTimer = nil
        if let listener { evconnlistener_disable(listener) }
        listener = nil
        socket = nil
        for case let stream as WebStream in Array(openClients.values) { stream.close() }
    }
}
