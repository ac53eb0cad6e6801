/// How often things were, so that a flood of them is no flood of lines: each is worth a line the first time, and then
/// the 2nd, 4th, 8th … time.
struct LogThrottle {
    private var counts: [String: Int] = [:]
    private let limit: Int

    /// So many are told apart; past that all are counted anew.
    init(limit: Int) { self.limit = limit }

    /// How often something was, this time included.
    mutating func count(_ what: String) -> Int {
        if counts.count >= limit, counts[what] == nil { counts = [:] }
        counts[what, default: 0] += 1
        return counts[what, default: 0]
    }

    static func isWorthALine(_ count: Int) -> Bool { count & (count - 1) == 0 }
}
