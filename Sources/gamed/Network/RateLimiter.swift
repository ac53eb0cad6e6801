import Access
import EventLoop
import GameFlow
import Sessions
import Timers

/// How many requests a second whoever sends them has left. What is not used is saved up, for a second's worth.
final class RateLimiter {
    /// What one peer has left.
    final class TokenBucket {
        fileprivate var left: Double
        fileprivate var filled: Instant

        fileprivate init(_ left: Double, _ now: Instant) { (self.left, filled) = (left, now) }
    }

    var limits: ServerLimits
    private let loop: LibeventLoop
    private var buckets: [Account: TokenBucket] = [:]

    /// Whose it is. At the UNIX socket somebody has another rate than over the network.
    private struct Account: Hashable {
        let name: String
        let isHere: Bool
    }
    private let all: TokenBucket
    /// So many accounts are remembered before those are forgotten that nobody holds.
    private static let accounts = 16_384
    /// How many requests were too many, since the start.
    private(set) var refusals = 0

    init(_ limits: ServerLimits, on loop: LibeventLoop) {
        (self.limits, self.loop) = (limits, loop)
        all = TokenBucket(Double(limits.requestsInAll), loop.timerQueue.now)
    }

    /// The bucket of an account, full to begin with.
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

    /// Takes one request out of a bucket, and out of that of all; says which was empty.
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
