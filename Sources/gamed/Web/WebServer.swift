import CEventHTTP
import EventLoop
import HTTP
import RPC
import Sessions
import Support
import Timers

/// Serves the page, and what it and other programs ask for over HTTP, on libevent's evhttp.
final class WebServer {
    let exchange: ServerContext
    /// The daemon's own name, which an event's number begins with.
    let instance: String
    let security: TLSContext?
    /// Where it can be reached: `127.0.0.1:8080`, or the path of a socket.
    let address: String
    let isUnix: Bool
    let origin: WebOrigin
    let connections: WebConnections
    let metrics: Metrics
    private let http: OpaquePointer
    private var listener: OpaquePointer?
    private var socket: UnixSocket?
    private var pulse: ScopedPendulum?
    /// Requests and streams that are not answered to their end.
    private var open: [ObjectIdentifier: any Client] = [:]
    private var clockShown: Instant
    /// Requests that have come, and for which there was no time in their turn.
    var waiting = Deque<WebRequest>()
    private(set) var again: DeferredTask!

    /// Listens on the network.
    convenience init(
        _ socket: consuming NetworkSocket, _ exchange: ServerContext, instance: String,
        _ security: TLSContext?, hosts: [String]
    ) throws(EventLoopError) {
        let address = socket.address
        try self.init(exchange, instance, security, address, isUnix: false, hosts)
        try listen(socket.take(), flags: LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE)
    }

    /// Listens at a UNIX socket.
    convenience init(
        _ socket: consuming UnixSocket, _ exchange: ServerContext, instance: String, hosts: [String]
    ) throws(EventLoopError) {
        let descriptor = socket.descriptor
        try self.init(exchange, instance, nil, socket.path, isUnix: true, hosts)
        self.socket = consume socket
        try listen(descriptor, flags: LEV_OPT_CLOSE_ON_EXEC)
    }

    /// Wraps `evhttp_new`.
    private init(
        _ exchange: ServerContext, _ instance: String, _ security: TLSContext?, _ address: String,
        isUnix: Bool, _ hosts: [String]
    ) throws(EventLoopError) {
        guard let http = evhttp_new(exchange.loop.base) else { throw .unavailable("evhttp") }
        (self.exchange, self.instance, self.security) = (exchange, instance, security)
        (self.http, self.address, self.isUnix) = (http, address, isUnix)
        origin = WebOrigin(names: { hosts + (security?.names ?? []) }, isUnix: isUnix)
        connections = WebConnections(exchange, isSecure: security != nil)
        metrics = Metrics(exchange)
        clockShown = exchange.sessions.now
        again = try DeferredTask(on: exchange.loop, .second) { [unowned self] in goOn() }
        prepare()
    }

    deinit {
        open = [:]
        evhttp_free(http)
    }

    // MARK: libevent

    private func prepare() {
        evhttp_set_max_headers_size(http, exchange.limits.headerBytes)
        evhttp_set_max_body_size(http, exchange.limits.bodyBytesRead)
        // Which methods there are is said by the path: here all are let through.
        evhttp_set_allowed_methods(http, 0x1FF)
        // Silence is measured by `WebConnections`.
        evhttp_set_timeout(http, 7 * 86_400)
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_set_bevcb(
            http,
            { _, me in Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue().buffers() }, me)
        evhttp_set_gencb(
            http,
            { request, me in
                let server = Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue()
                server.take(WebRequest(request!))
            }, me)
        if exchange.sessions.isVirtual {
            exchange.beforeSleep.append { [unowned self] in showClock() }
        }
    }

    /// Wraps `evhttp_bind_listener`. When descriptors have run out, nobody is let in for up to a second.
    private func listen(_ descriptor: Int32, flags: UInt32) throws(EventLoopError) {
        guard
            let listener = evconnlistener_new(exchange.loop.base, nil, nil, flags, 0, descriptor),
            evhttp_bind_listener(http, listener) != nil
        else { throw .unavailable("a listener for HTTP") }
        self.listener = listener
        evconnlistener_set_error_cb(listener) { listener, _ in evconnlistener_disable(listener) }
        pulse = ScopedPendulum(on: exchange.loop, exchange.limits.acceptPause) { [unowned self] _ in
            if let listener = self.listener { evconnlistener_enable(listener) }
        }
    }

    /// What a connection that is about to be let in is read and written with. Wraps
    /// `bufferevent_socket_new`, `bufferevent_openssl_socket_new`.
    private func buffers() -> OpaquePointer? {
        let base = exchange.loop.base
        let options = Int32(BEV_OPT_CLOSE_ON_FREE.rawValue)
        let secure = security?.session().flatMap {
            bufferevent_openssl_socket_new(base, -1, $0, BUFFEREVENT_SSL_ACCEPTING, options)
        }
        guard let buffers = secure ?? bufferevent_socket_new(base, -1, options) else { return nil }
        // A body has to fit before it is looked at; and nothing that nobody asked for piles up.
        let room = exchange.limits.bodyBytesRead + exchange.limits.headerBytes
        bufferevent_setwatermark(buffers, Int16(EV_READ), 0, room)
        if let secure { bufferevent_openssl_set_allow_dirty_shutdown(secure, 1) }
        WebErrorPage.watch(buffers)
        // Nothing is read in the clear from who should have come with TLS.
        connections.arrives(buffers, isWelcome: secure != nil || security == nil)
        return buffers
    }

    /// Calls back when a request's answer is all gone. Wraps `evhttp_request_set_on_complete_cb`.
    func followToItsEnd(_ request: WebRequest) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        evhttp_request_set_on_complete_cb(
            request.request,
            { request, me in
                let server = Unmanaged<WebServer>.fromOpaque(me!).takeUnretainedValue()
                let request = WebRequest(request!)
                server.connections.rest(request.descriptor, request.buffers)
            }, me)
    }

    // MARK: what is open

    func begin(_ client: any Client) { open[ObjectIdentifier(client)] = client }
    func end(_ client: any Client) { open[ObjectIdentifier(client)] = nil }
    /// How many streams are open.
    var streams: Int { open.values.reduce(0) { $0 + ($1 is WebStream ? 1 : 0) } }

    /// Tells the streams that virtual time has moved.
    private func showClock() {
        let now = exchange.sessions.now
        guard now != clockShown else { return }
        clockShown = now
        let notice = EventStreamForm.clock(exchange.sessions)
        for case let stream as WebStream in open.values { stream.tell(notice) }
    }

    // MARK: the end

    /// Whether nobody waits for an answer any more.
    var isQuiet: Bool { connections.isQuiet && waiting.isEmpty }

    /// Lets nobody in any more, and ends the streams.
    func stop() {
        pulse = nil
        if let listener { evconnlistener_disable(listener) }
        listener = nil
        socket = nil
        for case let stream as WebStream in Array(open.values) { stream.close() }
    }
}
