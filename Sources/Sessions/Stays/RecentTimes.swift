internal import Support

/// How long the newest visits of a state lasted, with the 90th percentile.
struct RecentTimes {
    /// The times of the visits and the instants at which they ended, both in nanoseconds, in the order of these instants from the
    /// index `oldest` on. After the last index comes the first.
    private var times: [(end: Int64, time: Int64)] = []
    /// The index of the visit that ended first; 0 while there are fewer than `maxCount` visits.
    private var oldest = 0
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
        var index = oldest
        if times.count < Self.maxCount {
            index = times.count
            times.append((end, time))
        } else {
            guard times[oldest].end <= end else { return }
            times[oldest] = (end, time)
            oldest = next(oldest)
        }
        cachedP90 = nil
        // A visit in another journal (each shard has one) may have ended later and be in the list already. Such visits are few.
        while index != oldest, times[previous(index)].end > end {
            times.swapAt(index, previous(index))
            index = previous(index)
        }
    }

    private func next(_ index: Int) -> Int { index + 1 == times.count ? 0 : index + 1 }
    private func previous(_ index: Int) -> Int { index == 0 ? times.count - 1 : index - 1 }

    /// Removes the newest time with this value, if there is one.
    mutating func remove(_ time: Int64) {
        times = Array(times[oldest...] + times[..<oldest])
        oldest = 0
        guard let index = times.lastIndex(where: { $0.time == time }) else { return }
        cachedP90 = nil
        times.remove(at: index)
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
            cachedP90 = Percentile.of(times.map(\.time).sorted(), percent: 90)
            return cachedP90
        }
    }
}
