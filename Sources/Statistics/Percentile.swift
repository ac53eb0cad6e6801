/// The nearest-rank percentiles of a list of times.
package enum Percentile {
    /// Returns the smallest value of `sorted` for which at least `percent` percent of all values are less than it or equal to
    /// it; nil if `sorted` is empty or `percent` is not within 1…100. So the median of an even number of values is the lower
    /// one of the two in the middle.
    package static func of(_ sorted: [Int64], percent: Int) -> Int64? {
        guard !sorted.isEmpty, 1...100 ~= percent else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(1, rank) - 1]
    }
}
