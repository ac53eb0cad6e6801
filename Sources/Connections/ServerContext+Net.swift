import Access
package import EventLoop
package import Net
package import Parts
import RPC
package import Sessions
package import Timers

/// What the servers need of `Net`, with the limits of this daemon and its log.
extension ServerContext {
    /// Accepts connections at a listening socket. Calls `admit` with the descriptor of each connection, and with an instant after
    /// which the connection was made.
    package func listener(
        at descriptor: Int32, closesDescriptor: Bool, _ admit: @escaping (Int32, Instant) -> Void
    ) throws(EventLoopError) -> Listener {
        try Listener(
            descriptor, closesDescriptor: closesDescriptor,
            Listener.Limits(perTurn: limits.acceptsPerTurn, pause: limits.acceptPause), on: loop,
            pausing: { Log.write(.warning, .limited, "cannot accept a client for now: \($0)") },
            admit: admit)
    }

    /// A channel that begins a TLS handshake on an accepted socket; nil if memory is short. The caller then still owns the socket.
    func tlsChannel(_ descriptor: Int32, _ security: TLSContext, _ identity: Identity)
        -> TLSChannel?
    {
        TLSChannel(descriptor, security, tlsBudget, closingChannels, on: loop) {
            [unowned self] in
            limitedRequests.count("tlsRecords", identity.account)
            authorizer.reportRecordFlood(identity, records: $0)
        }
    }

    /// The requests that the account of a client may still make.
    func requestBucket(of identity: Identity) -> RateLimiter.TokenBucket {
        rateLimiter.bucket(of: identity.account, isLocal: identity.kind == .unix)
    }

    /// Logs and counts a request over HTTP that names no method and that the client may not make.
    func reportForbidden(_ error: RequestError, _ identity: Identity) {
        _ = authorizer.reportForbidden(error, identity)
        protocolHandler.meter.count(nil, .forbidden)
    }

    /// Counts a request to an account. Returns an error if the account has made too many.
    package func countRequest(_ bucket: RateLimiter.TokenBucket) -> RequestError? {
        let limit: (which: String, rate: Int)
        switch rateLimiter.spend(from: bucket) {
        case nil: return nil
        case .local(let rate): limit = ("unixRequests", rate)
        case .network(let rate): limit = ("requests", rate)
        case .networkTotal(let rate): limit = ("requestsInAll", rate)
        }
        reportLimited(limit.which, bucket.account, limit.rate)
        return .limit(which: limit.which, limit: limit.rate)
    }
}

extension ServerContext {
    /// Counts a command that the `mqtt` connection of this name has sent for a client of its broker. The broker does not say which
    /// client it was, so the connection has the limit of one caller. Returns an error if the connection has sent too many.
    package func countCommand(of connection: String) -> RequestError? {
        countRequest(rateLimiter.bucket(of: "mqtt:\(connection)", isLocal: false))
    }
}

extension RateLimiter.Rates {
    package init(_ limits: ServerLimits) {
        self.init(
            local: limits.unixRequests, network: limits.requests,
            networkTotal: limits.requestsInAll, quotas: limits.quotas)
    }
}
