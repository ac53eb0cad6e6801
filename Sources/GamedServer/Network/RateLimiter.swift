import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// Limits the requests per second of each account and of all together. Unused requests are saved,
/// up to the number for one second.
final class RateLimiter {
    /// The requests that an account may still make.
    final class TokenBucket {
        /// Whether it is an account of the UNIX socket, which has another rate than the network.
        fileprivate let isHere: Bool
        fileprivate var left: Double
        fileprivate var filled: Instant

        fileprivate init(isHere: Bool, _ left: Int, _ now: Instant) {
            (self.isHere, self.left, filled) = (isHere, Double(left), now)
        }
    }

    private var rates: Rates

    /// The requests per second of an account at the UNIX socket, of one on the network, and of all on the network
    /// together; 0 means no limit. They are read with each request, and the other limits are not.
    private struct Rates {
        let here: Int
        let there: Int
        let inAll: Int

        init(_ limits: ServerLimits) {
            (here, there, inAll) = (limits.unixRequests, limits.requests, limits.requestsInAll)
        }
    }
    private let loop: LibeventLoop
    private var buckets: [Account: TokenBucket] = [:]

    /// The key of a bucket.
    private struct Account: Hashable {
        let name: String
        let isHere: Bool
    }
    private let all: TokenBucket
    /// The number of stored accounts at which those without a connection are removed.
    private static let accounts = 16_384
    /// The number of requests that exceeded a limit, since the start.
    private(set) var refusals = 0

    init(_ limits: ServerLimits, on loop: LibeventLoop) {
        (rates, self.loop) = (Rates(limits), loop)
        all = TokenBucket(isHere: false, limits.requestsInAll, loop.timerQueue.now)
    }

    func set(_ limits: ServerLimits) { rates = Rates(limits) }

    /// The bucket of an account; a new one is full.
    func bucket(of account: String, _ kind: Source.Kind) -> TokenBucket {
        let account = Account(name: account, isHere: kind == .unix)
        if let bucket = buckets[account] { return bucket }
        if buckets.count >= Self.accounts {
            for name in Array(buckets.keys) where isKnownUniquelyReferenced(&buckets[name]!) {
                buckets[name] = nil
            }
        }
        let bucket = TokenBucket(
            isHere: account.isHere, account.isHere ? rates.here : rates.there, loop.timerQueue.now)
        buckets[account] = bucket
        return bucket
    }

    /// Takes one request from the bucket, and from the common bucket of the network. Returns the
    /// error if one of them is empty.
    func spend(from bucket: TokenBucket) -> RequestError? {
        let rate = bucket.isHere ? rates.here : rates.there
        guard rate == 0 || take(bucket, rate) else {
            refusals += 1
            return .limit(which: bucket.isHere ? "unixRequests" : "requests", limit: rate)
        }
        guard bucket.isHere || rates.inAll == 0 || take(all, rates.inAll) else {
            refusals += 1
            return .limit(which: "requestsInAll", limit: rates.inAll)
        }
        return nil
    }

    private func take(_ bucket: TokenBucket, _ rate: Int) -> Bool {
        let now = loop.timerQueue.now
        let gone = Double((now - bucket.filled).nanoseconds) / 1e9
        bucket.left = min(Double(rate), bucket.left + gone * Double(rate))
        bucket.filled = now
        guard bucket.left >= 1 else { return false }
        bucket.left -= 1
        return true
    }
}
