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
            pausing: { Log.write(.warning, "cannot accept a client for now: \($0)") },
            admit: admit)
    }

    /// A channel that begins a TLS handshake on an accepted socket; nil if memory is short. The caller then still owns the socket.
    func tlsChannel(_ descriptor: Int32, _ security: TLSContext, _ identity: Identity)
        -> TLSChannel?
    {
        TLSChannel(descriptor, security, tlsBudget, closingChannels, on: loop) {
            [authorizer] in authorizer.reportRecordFlood(identity, records: $0)
        }
    }

    /// The requests that the account of a client may still make.
    func requestBucket(of identity: Identity) -> RateLimiter.TokenBucket {
        rateLimiter.bucket(of: identity.account, isLocal: identity.kind == .unix)
    }

    /// Counts a request to an account. Returns an error if the account has made too many.
    package func countRequest(_ bucket: RateLimiter.TokenBucket) -> RequestError? {
        switch rateLimiter.spend(from: bucket) {
        case nil: nil
        case .local(let rate): .limit(which: "unixRequests", limit: rate)
        case .network(let rate): .limit(which: "requests", limit: rate)
        case .networkTotal(let rate): .limit(which: "requestsInAll", limit: rate)
        }
    }
}

extension RateLimiter.Rates {
    package init(_ limits: ServerLimits) {
        self.init(
            local: limits.unixRequests, network: limits.requests,
            networkTotal: limits.requestsInAll)
    }
}
