/// Counts occurrences so that frequent ones do not fill the log: each kind is logged the first
/// time, and then the 2nd, 4th, 8th … time.
struct LogThrottle {
    private var counts: [String: Int] = [:]
    private let limit: Int

    /// `limit` is the number of kinds that are counted separately; beyond it all counts restart.
    init(limit: Int) { self.limit = limit }

    /// Counts an occurrence. Returns the number of occurrences, including this one.
    mutating func count(_ what: String) -> Int {
        if counts.count >= limit, counts[what] == nil { counts = [:] }
        counts[what, default: 0] += 1
        return counts[what, default: 0]
    }

    static func isWorthALine(_ count: Int) -> Bool { count & (count - 1) == 0 }
}
