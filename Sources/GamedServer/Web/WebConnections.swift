import CEventHTTP
import EventLoop
import GameFlow
import Glibc
import Timers

/// The HTTP connections, for what libevent does not do: it accepts any client, waits for a slow
/// header without a limit, and does not report when it closes a connection without a request.
final class WebConnections {
    private let context: ServerContext
    private let isSecure: Bool
    private var entries: [Int32: WebConnection] = [:]
    /// Connections that were accepted in this turn, before their sockets were known.
    private var arrivals: [(buffers: OpaquePointer, isWelcome: Bool)] = []
    private var sweep: ScopedPendulum?
    /// The highest descriptor that was in use.
    private var highest: Int32 = 0
    /// The descriptor at which the sweep for closed connections continues.
    private var sweepPosition: Int32 = 0
    /// The number of descriptors that one step of the sweep checks, each with a system call; and
    /// the interval between steps.
    private static let sweepStep: Int32 = 64
    private static let sweepInterval = Duration.milliseconds(20)

    init(_ context: ServerContext, isSecure: Bool) {
        (self.context, self.isSecure) = (context, isSecure)
        context.beforeSleep.append { [unowned self] in lookAtArrivals() }
        sweep = ScopedPendulum(on: context.loop, Self.sweepInterval) { [unowned self] _ in
            forgetClosed()
        }
    }

    /// libevent has created the buffers of a connection that it is about to accept.
    func arrives(_ buffers: OpaquePointer, isWelcome: Bool) {
        bufferevent_incref(buffers)
        arrivals.append((buffers, isWelcome))
    }

    private func lookAtArrivals() {
        guard !arrivals.isEmpty else { return }
        let arrived = arrivals
        arrivals = []
        for (buffers, isWelcome) in arrived {
            let descriptor = bufferevent_getfd(buffers)
            if descriptor >= 0, let connection = WebConnection(descriptor, self) {
                if isWelcome { admit(connection, buffers) } else { Self.cut(descriptor) }
            }
            bufferevent_decref(buffers)
        }
    }

    private func admit(_ connection: WebConnection, _ buffers: OpaquePointer) {
        if let old = entries[connection.descriptor] { forget(old) }
        if context.clients >= context.limits.clients { forgetClosed() }
        if let refusal = context.rejection(connection.anonymous) {
            return reject(connection, WebError(.tooManyRequests, refusal))
        }
        if isSecure {
            TLSRecordGuard.attach(to: buffers, context.tlsBudget, context.limits) {
                [authorizer = context.authorizer, anonymous = connection.anonymous] in
                authorizer.reportRecordFlood(anonymous, records: $0)
            }
        }
        entries[connection.descriptor] = connection
        highest = max(highest, connection.descriptor)
        context.arrive(from: connection.anonymous.host)
        connection.begin(buffers)
    }

    /// The connection of a request.
    func connection(_ descriptor: Int32?) -> WebConnection? { descriptor.flatMap { entries[$0] } }

    // MARK: deadlines

    /// The limits, which include the times for a request and for an idle connection.
    var limits: ServerLimits { context.limits }
    var loop: LibeventLoop { context.loop }

    /// A request has arrived, and is being answered.
    func relax(_ descriptor: Int32?) {
        lookAtArrivals()
        if let descriptor { entries[descriptor]?.isAsked() }
    }

    /// The answer was sent completely.
    func rest(_ descriptor: Int32?, _ buffers: OpaquePointer?) {
        guard let descriptor, let connection = entries[descriptor] else { return }
        connection.isAnswered(buffers.map { evbuffer_get_length(bufferevent_get_input($0)) } ?? 0)
    }

    /// The time limit of the connection has expired.
    func isLate(_ connection: WebConnection) {
        guard connection.isOpen else { return forget(connection) }
        context.counters.late += 1
        reject(connection, WebError(.requestTimeout, why: "the request did not arrive in time"))
    }

    // MARK: closing

    /// Sends the error, if that is possible without blocking and without TLS, and closes the
    /// connection.
    private func reject(_ connection: WebConnection, _ error: WebError) {
        if !isSecure {
            let bytes = error.message
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            _ = send(connection.descriptor, bytes, bytes.count, flags)
        }
        Self.cut(connection.descriptor)
    }

    /// Shuts the socket down, so that libevent detects the end of the connection. Wraps
    /// shutdown(2).
    static func cut(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Removes closed connections among the next few descriptors; repeated calls check all of them.
    private func forgetClosed() {
        guard !entries.isEmpty else { return }
        for _ in 0..<Self.sweepStep {
            sweepPosition = sweepPosition < highest ? sweepPosition + 1 : 0
            if let connection = entries[sweepPosition], !connection.isOpen { forget(connection) }
        }
    }

    private func forget(_ connection: WebConnection) {
        guard entries[connection.descriptor] === connection else { return }
        entries[connection.descriptor] = nil
        context.depart(from: connection.anonymous.host)
    }

    /// The number of open connections with a request that is not completely answered.
    var unfinished: Int { entries.values.count { $0.isBeingAnswered && $0.isOpen } }
}
