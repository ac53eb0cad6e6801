/// The times of the newest visits of a state, with their 90th percentile.
struct RecentTimes {
    /// In the order in which they were added.
    private var times: [Int64] = []
    private var sorted: [Int64] = []
    /// The number of times that are kept: recent visits say more about the present games than old ones.
    static let kept = 500
    /// With fewer times than this, there is no percentile.
    static let fewest = 20

    mutating func add(_ time: Int64) {
        if times.count == Self.kept { removeSorted(times.removeFirst()) }
        times.append(time)
        sorted.insert(time, at: place(of: time))
    }

    /// Removes the newest time with this value, if there is one.
    mutating func remove(_ time: Int64) {
        guard let index = times.lastIndex(of: time) else { return }
        times.remove(at: index)
        removeSorted(time)
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
