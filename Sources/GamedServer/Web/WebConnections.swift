import CEventHTTP
import CLinux
import EventLoop
import GameFlow
import Glibc
import Timers

/// The HTTP connections of a `WebServer`. This class does the work that libevent does not do. It limits the number of clients,
/// and the time for a request. It also notices when a connection without a request is closed.
final class WebConnections {
    private let context: ServerContext
    /// Whether the connections use TLS.
    private let isSecure: Bool
    /// The proxies, whose connections are not limited by host: each carries the requests of many clients.
    private let proxies: TrustedProxies
    private var connectionsByDescriptor: [Int32: WebConnection] = [:]
    /// Connections that libevent is about to accept, or has accepted in this turn of the loop. `willAccept` cannot admit them,
    /// because a bufferevent gets its socket only after that call.
    private var arrivals: [Arrival] = []
    /// Runs one step of the sweep at each interval. The sweep looks for closed connections. A step looks at the next few
    /// descriptors. After the last descriptor, the next step begins again with the first descriptor.
    private var sweepTimer: ScopedPendulum?
    /// The highest descriptor that was in use.
    private var highestDescriptor: Int32 = 0
    /// The descriptor at which the sweep for closed connections continues.
    private var sweepPosition: Int32 = 0
    /// The number of descriptors that one step of the sweep checks. Each check is one system call.
    private static let sweepStep: Int32 = 64
    /// The interval between two steps of the sweep.
    private static let sweepInterval = Duration.milliseconds(20)

    init(_ context: ServerContext, isSecure: Bool, _ proxies: TrustedProxies) {
        (self.context, self.isSecure, self.proxies) = (context, isSecure, proxies)
        context.beforeSleep.append { [unowned self] in admitArrivals() }
        sweepTimer = ScopedPendulum(on: context.loop, Self.sweepInterval) { [unowned self] _ in
            removeClosed()
        }
    }

    /// A connection that is not admitted yet.
    private struct Arrival {
        /// The bufferevent; retained until the connection is admitted or closed.
        let buffers: OpaquePointer
        /// Whether the connection may be served; otherwise it is closed at once.
        let isWelcome: Bool
        /// The callback of the input buffer that calls `didReadFirst`; nil if memory is short.
        let callback: OpaquePointer?
    }

    /// Called when the bufferevent `buffers` was created for a connection that libevent is about to accept. Wraps
    /// `evbuffer_add_cb`.
    ///
    /// `admitArrivals` admits the connection before the loop sleeps. The connection's first bytes can be read earlier: if the
    /// callbacks of a turn take long, libevent looks for further events in the same turn. The callback on the input buffer
    /// then admits the connection at once, so that no byte passes unchecked.
    func willAccept(_ buffers: OpaquePointer, isWelcome: Bool) {
        bufferevent_incref(buffers)
        let callback = evbuffer_add_cb(
            bufferevent_get_input(buffers),
            { input, change, me in
                guard let input, let change, change.pointee.n_added > 0 else { return }
                Unmanaged<WebConnections>.fromOpaque(me!).takeUnretainedValue()
                    .didReadFirst(change.pointee.n_added, input)
            }, Unmanaged.passUnretained(self).toOpaque())
        arrivals.append(Arrival(buffers: buffers, isWelcome: isWelcome, callback: callback))
    }

    /// Called when the first bytes of a connection have arrived before the loop has slept. A connection that is not
    /// admitted is closed, and its bytes are dropped.
    private func didReadFirst(_ count: Int, _ input: OpaquePointer) {
        guard let arrival = arrivals.first(where: { bufferevent_get_input($0.buffers) == input })
        else { return }
        let descriptor = bufferevent_getfd(arrival.buffers)
        admitArrivals()
        if let connection = connection(descriptor), connection.isOpen {
            connection.didRead(count, input)
        } else {
            evbuffer_drain(input, evbuffer_get_length(input))
        }
    }

    /// Admits or closes the connections that libevent has accepted in this turn. Wraps `evbuffer_remove_cb_entry`.
    private func admitArrivals() {
        guard !arrivals.isEmpty else { return }
        let newArrivals = arrivals
        arrivals = []
        for arrival in newArrivals {
            let buffers = arrival.buffers
            if let callback = arrival.callback {
                evbuffer_remove_cb_entry(bufferevent_get_input(buffers), callback)
            }
            let descriptor = bufferevent_getfd(buffers)
            if descriptor >= 0, let connection = WebConnection(descriptor, self) {
                if arrival.isWelcome {
                    admit(connection, buffers)
                } else {
                    Self.cut(descriptor)
                }
            }
            bufferevent_decref(buffers)
        }
    }

    private func admit(_ connection: WebConnection, _ buffers: OpaquePointer) {
        // A descriptor belongs to one open connection, so the former connection with this descriptor has been closed.
        if let closed = connectionsByDescriptor[connection.descriptor] { remove(closed) }
        // Connections that were closed since the last sweep are still counted as clients.
        if context.clientCount >= context.limits.clients { removeClosed() }
        let isFromProxy = proxies.contains(connection.peerAddress)
        if let refusal = context.rejection(connection.socketIdentity, isProxy: isFromProxy) {
            return reject(connection, WebError(.tooManyRequests, refusal))
        }
        if isSecure {
            // Limits the TLS records without application data, which a client could send without end.
            TLSRecordGuard.attach(to: buffers, context.tlsBudget, context.limits) {
                [authorizer = context.authorizer, identity = connection.socketIdentity] in
                authorizer.reportRecordFlood(identity, records: $0)
            }
        }
        // TLS sends the header and the body of a reply as separate records. With the delay, the body would wait until the client
        // has acknowledged the header, which takes 40 ms.
        if connection.socketIdentity.host != nil {
            NetworkSocket.disableSendDelay(connection.descriptor)
        }
        connectionsByDescriptor[connection.descriptor] = connection
        highestDescriptor = max(highestDescriptor, connection.descriptor)
        connection.countedHost = isFromProxy ? nil : connection.socketIdentity.host
        context.startCounting(connectionFrom: connection.countedHost)
        context.counters.accepted += 1
        connection.begin(buffers)
    }

    /// The connection with this descriptor; nil if there is none, or if the descriptor is nil.
    func connection(_ descriptor: Int32?) -> WebConnection? {
        descriptor.flatMap { connectionsByDescriptor[$0] }
    }

    /// An instant after which a request began to arrive.
    func since(_ request: WebRequest) -> Instant {
        connection(request.descriptor)?.requestSince ?? loop.completeTurn
    }

    // MARK: time limits

    /// The daemon's limits, which include the times for a request and for an idle connection.
    var limits: ServerLimits { context.limits }
    var loop: LibeventLoop { context.loop }

    /// Called when a request has arrived at the descriptor's connection, before it is answered.
    func requestArrived(_ descriptor: Int32?) {
        connection(descriptor)?.requestArrived()
    }

    /// Called when the reply was sent completely. `buffers` is the connection's bufferevent; nil if the client is gone.
    func replySent(_ descriptor: Int32?, _ buffers: OpaquePointer?) {
        connection(descriptor)?.replySent(
            unreadBytes: buffers.map { evbuffer_get_length(bufferevent_get_input($0)) } ?? 0)
    }

    /// Called when the time limit of the connection has expired.
    func deadlineExpired(_ connection: WebConnection) {
        guard connection.isOpen else { return remove(connection) }
        context.counters.lateRequests += 1
        reject(connection, WebError(.requestTimeout, why: "the request did not arrive in time"))
    }

    // MARK: closing

    /// Closes the connections that wait at a listening socket.
    func dropWaiting(at listeningDescriptor: Int32) {
        while true {
            let descriptor = linux_accept(listeningDescriptor)
            guard descriptor >= 0 else { return }
            close(descriptor)
        }
    }

    /// Closes all connections. What has arrived at them and was not answered is dropped.
    func dropAll() {
        admitArrivals()
        for connection in connectionsByDescriptor.values where connection.isOpen {
            connection.drop()
        }
    }

    /// Closes the connection. Without TLS, sends the error first, if the socket takes it without blocking.
    private func reject(_ connection: WebConnection, _ error: WebError) {
        if !isSecure {
            let bytes = error.responseBytes
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            _ = send(connection.descriptor, bytes, bytes.count, flags)
        }
        Self.cut(connection.descriptor)
    }

    /// Shuts the socket down, so that libevent detects the end of the connection. Wraps
    /// shutdown(2).
    static func cut(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Runs one step of the sweep: removes the closed connections at the next few descriptors.
    private func removeClosed() {
        guard !connectionsByDescriptor.isEmpty else { return }
        for _ in 0..<Self.sweepStep {
            sweepPosition = sweepPosition < highestDescriptor ? sweepPosition + 1 : 0
            if let connection = connectionsByDescriptor[sweepPosition], !connection.isOpen {
                remove(connection)
            }
        }
    }

    /// Forgets a closed connection.
    private func remove(_ connection: WebConnection) {
        guard connectionsByDescriptor[connection.descriptor] === connection else { return }
        connectionsByDescriptor[connection.descriptor] = nil
        context.stopCounting(connectionFrom: connection.countedHost)
    }

    /// The number of open connections with a request that is not completely answered.
    var unfinishedClients: Int {
        connectionsByDescriptor.values.count { $0.isBeingAnswered && $0.isOpen }
    }
}
