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
        fileprivate var left: Double
        fileprivate var filled: Instant

        fileprivate init(_ left: Double, _ now: Instant) { (self.left, filled) = (left, now) }
    }

    var limits: ServerLimits
    private let loop: LibeventLoop
    private var buckets: [Account: TokenBucket] = [:]

    /// The key of a bucket. The UNIX socket has another rate than the network.
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
        (self.limits, self.loop) = (limits, loop)
        all = TokenBucket(Double(limits.requestsInAll), loop.timerQueue.now)
    }

    /// The bucket of an account; a new one is full.
    func bucket(of account: String, _ kind: Source.Kind) -> TokenBucket {
        let account = Account(name: account, isHere: kind == .unix)
        if let bucket = buckets[account] { return bucket }
        if buckets.count >= Self.accounts {
            for name in Array(buckets.keys) where isKnownUniquelyReferenced(&buckets[name]!) {
                buckets[name] = nil
            }
        }
        let bucket = TokenBucket(Double(rate(of: kind)), loop.timerQueue.now)
        buckets[account] = bucket
        return bucket
    }

    /// Takes one request from the bucket, and from the common bucket of the network. Returns the
    /// error if one of them is empty.
    func spend(from bucket: TokenBucket, _ kind: Source.Kind) -> RequestError? {
        let rate = rate(of: kind)
        guard rate == 0 || take(bucket, rate) else {
            refusals += 1
            return .limit(which: kind == .unix ? "unixRequests" : "requests", limit: rate)
        }
        guard kind == .unix || limits.requestsInAll == 0 || take(all, limits.requestsInAll) else {
            refusals += 1
            return .limit(which: "requestsInAll", limit: limits.requestsInAll)
        }
        return nil
    }

    private func rate(of kind: Source.Kind) -> Int {
        kind == .unix ? limits.unixRequests : limits.requests
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
