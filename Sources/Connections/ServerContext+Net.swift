import Access
package import EventLoop
package import Net
import Parts
import RPC
import Sessions
package import Timers

/// What the servers need of `Net`, with the limits of this daemon and its log.
extension ServerContext {
    /// Accepts connections at a listening socket. Calls `admit` with the descriptor of each connection, and with an instant after
    /// which the connection was made.
    package func listener(
        at socket: consuming ListeningSocket, _ admit: @escaping (Int32, Instant) -> Void
    ) throws(EventLoopError) -> Listener {
        try Listener(
            socket, Listener.Limits(perTurn: limits.acceptsPerTurn, pause: limits.acceptPause),
            on: loop,
            pausing: { Log.write(.warning, .limited, "cannot accept a client for now: \($0)") },
            admit: admit)
    }

    /// A channel that begins a TLS handshake on an accepted socket; nil if memory is short. The caller then still owns the socket.
    func tlsChannel(_ descriptor: Int32, _ security: TLSContext, _ identity: Identity)
        -> TLSChannel?
    {
        TLSChannel(descriptor, security, tlsBudget, closingChannels, on: loop) {
            [unowned self] in
            accountLimits.count("tlsRecords", identity.account)
            authorizer.reportRecordFlood(identity, records: $0)
        }
    }

    /// Logs a request over HTTP that names no method and that the client may not make. The answer counts it.
    func reportForbidden(_ error: RequestError, _ identity: Identity) {
        _ = authorizer.reportForbidden(error, identity)
    }
}
