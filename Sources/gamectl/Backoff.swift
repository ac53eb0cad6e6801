import Timers

/// How long to wait before the next try: twice as long as before the last.
struct Backoff {
    private static let longest = 2000
    private var ms = 100
    private(set) var isFresh = true

    mutating func next() -> Interval {
        defer { (ms, isFresh) = (min(Self.longest, ms * 2), false) }
        return .milliseconds(Int64(ms))
    }
}
