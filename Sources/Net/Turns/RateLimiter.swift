package import EventLoop
import Timers

/// Limits the requests per second of each account, and of all network accounts together. An account is the client's token, else
/// its certificate, else its user at the UNIX socket, else its host. Unused requests are saved, up to the number for one
/// second.
///
/// Each request reads the properties that are `@exclusivity(unchecked)`. This is safe: no other code runs during an access to them.
package final class RateLimiter {
    /// The requests that may still be made by one account, or by all network accounts together. One token of the bucket stands
    /// for one request. It is not a token by which a client is authenticated.
    package final class TokenBucket {
        /// The name of the account.
        package let account: String
        /// Whether the account uses the UNIX socket, which has another rate than the network.
        fileprivate let isLocal: Bool
        /// The rate of the account, if it has one of its own.
        @exclusivity(unchecked) fileprivate var quota: Int?
        /// The number of requests that are allowed at `refilledAt`. A fraction is a part of the next request.
        fileprivate var tokens: Double
        fileprivate var refilledAt: Instant

        fileprivate init(_ account: String, isLocal: Bool, _ tokens: Int, _ now: Instant) {
            self.account = account
            (self.isLocal, self.tokens, refilledAt) = (isLocal, Double(tokens), now)
        }
    }

    /// The allowed rates, which can change when the configuration is read again.
    @exclusivity(unchecked) package var rates: Rates {
        didSet {
            for bucket in buckets.values { bucket.quota = rates.quotas[bucket.account] }
        }
    }

    /// The allowed requests per second; 0 means no limit. `local` is for an account at the UNIX socket, `network` for an
    /// account on the network, and `networkTotal` for all network accounts together.
    package struct Rates {
        let local, network, networkTotal: Int
        /// The rates of accounts that have their own, by the names of the accounts.
        let quotas: [String: Int]

        package init(
            local: Int, network: Int, networkTotal: Int, quotas: [String: Int] = [:]
        ) {
            (self.local, self.network, self.networkTotal) = (local, network, networkTotal)
            self.quotas = quotas
        }
    }

    /// The rate that a request has exceeded, with the allowed requests per second.
    package enum ExceededRate {
        case local(Int)
        case network(Int)
        case networkTotal(Int)
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

    package init(_ rates: Rates, on loop: LibeventLoop) {
        (self.rates, self.loop) = (rates, loop)
        networkBucket = TokenBucket("", isLocal: false, rates.networkTotal, loop.timerQueue.now)
    }

    /// The bucket of an account, which is at the UNIX socket (`isLocal`) or on the network. The caller keeps it as long as its
    /// connection exists. A new bucket is full.
    package func bucket(of account: String, isLocal: Bool) -> TokenBucket {
        let account = Account(name: account, isLocal: isLocal)
        if let bucket = buckets[account] { return bucket }
        if buckets.count >= Self.accountLimit {
            // If only this dictionary refers to a bucket, its account has no connection.
            for key in Array(buckets.keys) where isKnownUniquelyReferenced(&buckets[key]!) {
                buckets[key] = nil
            }
        }
        let quota = rates.quotas[account.name]
        let bucket = TokenBucket(
            account.name, isLocal: account.isLocal,
            quota ?? (account.isLocal ? rates.local : rates.network), loop.timerQueue.now)
        bucket.quota = quota
        buckets[account] = bucket
        return bucket
    }

    /// Takes one request from the bucket of an account, and for a network account also from the bucket of all network accounts.
    /// Returns the exceeded rate if a bucket is empty.
    package func spend(from bucket: TokenBucket) -> ExceededRate? {
        let rate = bucket.quota ?? (bucket.isLocal ? rates.local : rates.network)
        guard rate == 0 || spendToken(from: bucket, rate) else {
            return bucket.isLocal ? .local(rate) : .network(rate)
        }
        guard
            bucket.isLocal || rates.networkTotal == 0
                || spendToken(from: networkBucket, rates.networkTotal)
        else {
            return .networkTotal(rates.networkTotal)
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
