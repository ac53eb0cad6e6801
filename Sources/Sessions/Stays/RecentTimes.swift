internal import Support

/// How long the newest visits of a state lasted, with the 90th percentile.
struct RecentTimes {
    /// The times of the visits in the order in which the visits ended, both in nanoseconds.
    private var times = Deque<(end: Int64, time: Int64)>()
    /// The percentile; nil if it must be computed.
    private var cachedP90: Int64?
    /// The maximum number of remembered times. The oldest times are removed, because recent times say more about the present
    /// games.
    static let maxCount = 500
    /// The number of times that are needed for a percentile.
    static let minCount = 20

    /// Adds the time of a visit, and the instant at which the visit ended. If `maxCount` times are remembered already, the new
    /// time replaces the time of the visit that ended first. But if all remembered visits ended later than this visit, the new
    /// time is ignored.
    mutating func add(_ time: Int64, endedAt end: Int64) {
        cachedP90 = nil
        if times.count == Self.maxCount {
            guard let oldest = times.first, oldest.end <= end else { return }
            _ = times.removeFirst()
        }
        times.append((end, time))
        // A visit in another journal (each shard has one) may have ended later and be in the list already. Such visits are few.
        var index = times.count - 1
        while index > 0, times[index - 1].end > end {
            times[index] = times[index - 1]
            index -= 1
        }
        times[index] = (end, time)
    }

    /// Removes the newest time with this value, if there is one.
    mutating func remove(_ time: Int64) {
        guard let index = (0..<times.count).last(where: { times[$0].time == time }) else { return }
        cachedP90 = nil
        for later in index..<times.count - 1 { times[later] = times[later + 1] }
        _ = times.removeLast()
    }

    /// Whether too few visits are known for a percentile.
    var areTooFew: Bool { times.count < Self.minCount }
    /// Whether the percentile is known without computing it.
    var isP90Known: Bool { areTooFew || cachedP90 != nil }

    /// The time that nine of ten visits do not exceed; nil if too few visits are known. The times are sorted only here, because
    /// visits end far more often than somebody asks.
    var p90: Int64? {
        mutating get {
            if areTooFew { return nil }
            if let cachedP90 { return cachedP90 }
            let sorted = (0..<times.count).map { times[$0].time }.sorted()
            cachedP90 = Percentile.of(sorted, percent: 90)
            return cachedP90
        }
    }
}
