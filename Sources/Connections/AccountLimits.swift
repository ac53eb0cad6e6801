import Access
package import EventLoop
import Net
package import Parts
import RPC
package import Sessions

/// Counts what each account requests, and what is refused because of a limit. An account is a client's token, else its certificate,
/// else its user at the UNIX socket, else its host. All calls are on the loop's thread.
package final class AccountLimits {
    private let rateLimiter: RateLimiter
    /// The requests and connections that were refused because of a limit.
    private(set) var refused = LimitedRequests()
    /// Counts the lines of the log about clients that reach a limit, by client and limit.
    private var log = LogThrottle(limit: 4096)

    package init(_ limits: ServerLimits, on loop: LibeventLoop) {
        rateLimiter = RateLimiter(RateLimiter.Rates(limits), on: loop)
    }

    /// Takes over the rates after the configuration was read again.
    func setRates(_ limits: ServerLimits) { rateLimiter.rates = RateLimiter.Rates(limits) }

    // MARK: requests

    /// The requests that the account of a client may still make.
    func bucket(of identity: Identity) -> RateLimiter.TokenBucket {
        rateLimiter.bucket(of: identity.account, isLocal: identity.kind == .unix)
    }

    /// Counts a request to an account. Returns an error if the account has made too many.
    func countRequest(_ bucket: RateLimiter.TokenBucket) -> RequestError? {
        let limit: (which: String, rate: Int)
        switch rateLimiter.spend(from: bucket) {
        case nil: return nil
        case .local(let rate): limit = ("unixRequests", rate)
        case .network(let rate): limit = ("requests", rate)
        case .networkTotal(let rate): limit = ("requestsInAll", rate)
        }
        report(limit.which, bucket.account, limit.rate)
        return .limit(which: limit.which, limit: limit.rate)
    }

    /// Counts a command that the `mqtt` connection of this name has sent for a client of its broker. The broker does not say which
    /// client it was, so the connection has the limit of one caller. Returns an error if the connection has sent too many.
    package func countCommand(of connection: String) -> RequestError? {
        countRequest(rateLimiter.bucket(of: "mqtt:\(connection)", isLocal: false))
    }

    // MARK: reports

    /// Counts a refusal that is not logged.
    func count(_ limit: String, _ account: String) { refused.count(limit, account) }

    /// Counts a request or a connection that was refused because an account has reached a limit, and logs the 1st, 2nd, 4th,
    /// 8th … one of each account. `sentence` says what has happened.
    func report(_ limit: String, _ account: String, _ sentence: @autoclosure () -> String) {
        count(limit, account)
        log.write(
            .warning, .limited, of: "\(limit) \(account)", sentence(),
            LogField.fields(ofAccount: account) + [.reason(limit)])
    }

    /// As above, for an account that has reached a limit with this value.
    func report(_ limit: String, _ account: String, _ value: Int) {
        report(limit, account, "\(account) has reached the limit \(limit), \(value)")
    }
}

extension RateLimiter.Rates {
    package init(_ limits: ServerLimits) {
        self.init(
            local: limits.unixRequests, network: limits.requests,
            networkTotal: limits.requestsInAll, quotas: limits.quotas)
    }
}
