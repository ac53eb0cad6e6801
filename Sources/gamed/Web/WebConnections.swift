import CEventHTTP
import EventLoop
import GameFlow
import Glibc
import HTTP
import Timers

/// The connections of HTTP, as far as libevent does not look after them: it lets in anybody, waits for a slow
/// header for ever, and tells nobody when it closes a connection that never asked for anything.
final class WebConnections {
    private let exchange: ServerContext
    private let isSecure: Bool
    private var entries: [Int32: WebConnection] = [:]
    /// Those that were let in during this turn, whose sockets were not known then.
    private var arrivals: [(buffers: OpaquePointer, isWelcome: Bool)] = []
    private var sweep: ScopedPendulum?
    /// The highest descriptor that was in use.
    private var highest: Int32 = 0
    /// The descriptor at which the sweep for closed connections goes on.
    private var sweepPlace: Int32 = 0
    /// How many descriptors one step of the sweep looks at, for each of them is a call of the kernel; and how often
    /// there is a step.
    private static let sweepStep: Int32 = 64
    private static let sweepRhythm = Duration.milliseconds(20)

    init(_ exchange: ServerContext, isSecure: Bool) {
        (self.exchange, self.isSecure) = (exchange, isSecure)
        exchange.beforeSleep.append { [unowned self] in lookAtArrivals() }
        sweep = ScopedPendulum(on: exchange.loop, Self.sweepRhythm) { [unowned self] _ in
            forgetClosed()
        }
    }

    /// libevent has made the buffers of a connection that it is about to let in.
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
        if exchange.clients >= exchange.limits.clients { forgetClosed() }
        if let refusal = exchange.turnsAway(connection.stranger) {
            return turnAway(connection, WebError(.tooManyRequests, refusal))
        }
        if isSecure {
            TLSRecordGuard.attach(to: buffers, exchange.tlsBudget, exchange.limits) {
                [gatekeeper = exchange.gatekeeper, stranger = connection.stranger] in
                gatekeeper.flooded(stranger, records: $0)
            }
        }
        entries[connection.descriptor] = connection
        highest = max(highest, connection.descriptor)
        exchange.arrive(from: connection.stranger.host)
        connection.begin(buffers)
    }

    /// The connection of a request.
    func connection(_ descriptor: Int32?) -> WebConnection? { descriptor.flatMap { entries[$0] } }

    // MARK: deadlines

    /// How long a whole request may take to come, and how long nothing may.
    var limits: ServerLimits { exchange.limits }
    var loop: LibeventLoop { exchange.loop }

    /// A request has come, and is being answered.
    func relax(_ descriptor: Int32?) {
        lookAtArrivals()
        if let descriptor { entries[descriptor]?.isAsked() }
    }

    /// It was answered, to the last byte.
    func rest(_ descriptor: Int32?, _ buffers: OpaquePointer?) {
        guard let descriptor, let connection = entries[descriptor] else { return }
        connection.isAnswered(buffers.map { evbuffer_get_length(bufferevent_get_input($0)) } ?? 0)
    }

    /// What was to come did not come in time.
    func isLate(_ connection: WebConnection) {
        guard connection.isOpen else { return forget(connection) }
        exchange.tally.late += 1
        turnAway(connection, WebError(.requestTimeout, why: "the request did not come in time"))
    }

    // MARK: the end

    /// Says why, as far as that goes without waiting and without TLS, and closes.
    private func turnAway(_ connection: WebConnection, _ error: WebError) {
        if !isSecure {
            let bytes = error.message
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            _ = send(connection.descriptor, bytes, bytes.count, flags)
        }
        Self.cut(connection.descriptor)
    }

    /// Has libevent see the end of a connection. Wraps shutdown(2).
    static func cut(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Forgets those that are closed among the next few: all are looked at in turn.
    private func forgetClosed() {
        guard !entries.isEmpty else { return }
        for _ in 0..<Self.sweepStep {
            sweepPlace = sweepPlace < highest ? sweepPlace + 1 : 0
            if let connection = entries[sweepPlace], !connection.isOpen { forget(connection) }
        }
    }

    private func forget(_ connection: WebConnection) {
        guard entries[connection.descriptor] === connection else { return }
        entries[connection.descriptor] = nil
        exchange.depart(from: connection.stranger.host)
    }

    /// Whether everybody who asked has his answer, as far as he is still there.
    var isQuiet: Bool { !entries.values.contains { $0.isBeingAnswered && $0.isOpen } }
}
