internal import Support

/// The durations (times) of the newest visits of a state, with their 90th percentile.
struct RecentTimes {
    /// The times in the order in which the visits ended.
    private var times = Deque<(end: Int64, time: Int64)>()
    /// The same times, sorted.
    private var sorted: [Int64] = []
    /// The maximum number of remembered times. The oldest times are removed, because recent times say more about the present
    /// games.
    static let maxCount = 500
    /// The number of times that are needed for a percentile.
    static let minCount = 20

    /// Adds the time of a visit, and the instant at which the visit ended, in nanoseconds. If `maxCount` times are remembered
    /// already, the new time replaces the time of the visit that ended first. But if all remembered visits ended later than
    /// this visit, the new time is ignored.
    mutating func add(_ time: Int64, endedAt end: Int64) {
        if times.count == Self.maxCount {
            guard let oldest = times.first, oldest.end <= end else { return }
            _ = times.removeFirst()
            replace(oldest.time, by: time)
        } else {
            sorted.insert(time, at: sortedIndex(of: time))
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
        for later in index..<times.count - 1 { times[later] = times[later + 1] }
        _ = times.removeLast()
        removeSorted(time)
    }

    /// Replaces the time `old` in `sorted` by `new`. Moves only the times between these two values, which are usually few.
    private mutating func replace(_ old: Int64, by new: Int64) {
        var index = sortedIndex(of: old)
        while index + 1 < sorted.count, sorted[index + 1] < new {
            sorted[index] = sorted[index + 1]
            index += 1
        }
        while index > 0, sorted[index - 1] > new {
            sorted[index] = sorted[index - 1]
            index -= 1
        }
        sorted[index] = new
    }

    /// The time that nine of ten visits do not exceed; nil if too few visits are known.
    var p90: Int64? {
        times.count < Self.minCount ? nil : Percentile.of(sorted, percent: 90)
    }

    private mutating func removeSorted(_ time: Int64) {
        let index = sortedIndex(of: time)
        if index < sorted.count, sorted[index] == time { sorted.remove(at: index) }
    }

    /// The index in `sorted` of the first time that is not smaller than `time`.
    private func sortedIndex(of time: Int64) -> Int {
        BinarySearch.prefixCount(sorted.count) { sorted[$0] < time }
    }
}
