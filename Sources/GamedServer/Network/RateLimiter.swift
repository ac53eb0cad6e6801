import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// Limits the requests per second of each account, and of all network accounts together. An account is the client's token, else
/// its certificate, else its user at the UNIX socket, else its host. Unused requests are saved, up to the number for one
/// second.
final class RateLimiter {
    /// The requests that may still be made by one account, or by all network accounts together. One token of the bucket stands
    /// for one request. It is not a token by which a client is authenticated.
    final class TokenBucket {
        /// Whether the account uses the UNIX socket, which has another rate than the network.
        fileprivate let isLocal: Bool
        /// The number of requests that are allowed at `refilledAt`. A fraction is a part of the next request.
        fileprivate var tokens: Double
        fileprivate var refilledAt: Instant

        fileprivate init(isLocal: Bool, _ tokens: Int, _ now: Instant) {
            (self.isLocal, self.tokens, refilledAt) = (isLocal, Double(tokens), now)
        }
    }

    private var rates: Rates

    /// The allowed requests per second; 0 means no limit. `local` is for an account at the UNIX socket, `network` for an
    /// account on the network, and `networkTotal` for all network accounts together.
    private struct Rates {
        let local: Int
        let network: Int
        let networkTotal: Int

        init(_ limits: ServerLimits) {
            (local, network) = (limits.unixRequests, limits.requests)
            networkTotal = limits.requestsInAll
        }
    }

    private let loop: LibeventLoop
    private var buckets: [Account: TokenBucket] = [:]

    /// The key of a bucket. An account at the UNIX socket and an account on the network can have the same name.
    private struct Account: Hashable {
        let name: String
        let isLocal: Bool
    }
    /// The bucket of all network accounts together.
    private let networkBucket: TokenBucket
    /// The number of buckets at which `bucket(of:)` removes the buckets of accounts without a connection.
    private static let accountLimit = 16_384
    /// The number of requests that exceeded a limit, since the start.
    private(set) var refusals = 0

    init(_ limits: ServerLimits, on loop: LibeventLoop) {
        (rates, self.loop) = (Rates(limits), loop)
        networkBucket = TokenBucket(isLocal: false, limits.requestsInAll, loop.timerQueue.now)
    }

    /// Applies limits of a configuration that was read again.
    func set(_ limits: ServerLimits) { rates = Rates(limits) }

    /// The bucket of an account. The caller keeps it as long as its connection exists. A new bucket is full.
    func bucket(of account: String, _ kind: Source.Kind) -> TokenBucket {
        let account = Account(name: account, isLocal: kind == .unix)
        if let bucket = buckets[account] { return bucket }
        if buckets.count >= Self.accountLimit {
            // If only this dictionary refers to a bucket, its account has no connection.
            for key in Array(buckets.keys) where isKnownUniquelyReferenced(&buckets[key]!) {
                buckets[key] = nil
            }
        }
        let bucket = TokenBucket(
            isLocal: account.isLocal, account.isLocal ? rates.local : rates.network,
            loop.timerQueue.now)
        buckets[account] = bucket
        return bucket
    }

    /// Takes one request from the bucket of an account, and for a network account also from the bucket of all network accounts.
    /// Returns the error of the exceeded limit if a bucket is empty.
    func spend(from bucket: TokenBucket) -> RequestError? {
        let rate = bucket.isLocal ? rates.local : rates.network
        guard rate == 0 || spendToken(from: bucket, rate) else {
            refusals += 1
            return .limit(which: bucket.isLocal ? "unixRequests" : "requests", limit: rate)
        }
        guard
            bucket.isLocal || rates.networkTotal == 0
                || spendToken(from: networkBucket, rates.networkTotal)
        else {
            refusals += 1
            return .limit(which: "requestsInAll", limit: rates.networkTotal)
        }
        return nil
    }

    /// Adds the requests for the time since the last refill, and takes one. Returns false if there is less than one. `rate` is
    /// in requests per second.
    private func spendToken(from bucket: TokenBucket, _ rate: Int) -> Bool {
        let now = loop.timerQueue.now
        let elapsed = Double((now - bucket.refilledAt).nanoseconds) / 1e9
        bucket.tokens = min(Double(rate), bucket.tokens + elapsed * Double(rate))
        bucket.refilledAt = now
        guard bucket.tokens >= 1 else { return false }
        bucket.tokens -= 1
        return true
    }
}
