internal import Support

/// The times of the newest visits of a state, with their 90th percentile.
struct RecentTimes {
    /// In the order of the ends of the visits.
    private var times = Deque<(end: Int64, time: Int64)>()
    private var sorted: [Int64] = []
    /// The number of times that are kept: recent visits say more about the present games than old ones.
    static let kept = 500
    /// With fewer times than this, there is no percentile.
    static let fewest = 20

    /// Adds the time of a visit that ended at this instant, in nanoseconds. A visit that ended before all that are kept
    /// is ignored.
    mutating func add(_ time: Int64, endedAt end: Int64) {
        if times.count == Self.kept {
            guard let oldest = times.first, oldest.end <= end else { return }
            _ = times.removeFirst()
            replace(oldest.time, by: time)
        } else {
            sorted.insert(time, at: place(of: time))
        }
        times.append((end, time))
        // Visits in other journals can have ended later; mostly few of them.
        var at = times.count - 1
        while at > 0, times[at - 1].end > end {
            times[at] = times[at - 1]
            at -= 1
        }
        times[at] = (end, time)
    }

    /// Removes the newest time with this value, if there is one.
    mutating func remove(_ time: Int64) {
        guard let index = (0..<times.count).last(where: { times[$0].time == time }) else { return }
        for at in index..<times.count - 1 { times[at] = times[at + 1] }
        _ = times.removeLast()
        removeSorted(time)
    }

    /// Moves only the times between the two, which are mostly few.
    private mutating func replace(_ old: Int64, by new: Int64) {
        var at = place(of: old)
        while at + 1 < sorted.count, sorted[at + 1] < new {
            sorted[at] = sorted[at + 1]
            at += 1
        }
        while at > 0, sorted[at - 1] > new {
            sorted[at] = sorted[at - 1]
            at -= 1
        }
        sorted[at] = new
    }

    /// The time that nine of ten visits do not exceed; nil if too few are known.
    var p90: Int64? {
        times.count < Self.fewest ? nil : Percentile.of(sorted, percent: 90)
    }

    private mutating func removeSorted(_ time: Int64) {
        let index = place(of: time)
        if index < sorted.count, sorted[index] == time { sorted.remove(at: index) }
    }

    /// The index of the first time that is not smaller.
    private func place(of time: Int64) -> Int {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
