/// The nearest-rank percentiles of a list of times.
package enum Percentile {
    /// Returns the smallest value of `sorted` that at least `percent` percent of the values do not exceed. `sorted` is in
    /// ascending order. The result is nil if `sorted` is empty or if `percent` is not within 1…100. If the number of values is
    /// even, the median is the lower of the two values in the middle.
    package static func of(_ sorted: [Int64], percent: Int) -> Int64? {
        guard !sorted.isEmpty, 1...100 ~= percent else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return sorted[max(1, rank) - 1]
    }
}
