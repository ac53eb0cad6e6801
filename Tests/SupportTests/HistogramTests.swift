import Testing

@testable import Support

/// The histograms of the metrics.
@Suite struct HistogramTests {
    @Test(arguments: [
        (-1, 1), (0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (524_288, 524_288),
    ])
    func `a value counts in the first bucket whose limit it does not exceed`(
        _ value: Int, _ limit: Int
    ) {
        var histogram = Histogram.numbers
        histogram.add(value)
        #expect(histogram.buckets.first { $0.count == 1 }?.limit == limit)
        #expect(histogram.count == 1 && histogram.sum == max(0, value))
    }

    @Test func `a value above the last limit counts in no bucket with a limit`() {
        var histogram = Histogram.times
        histogram.add(.max)
        histogram.add(.max)
        #expect(histogram.buckets.allSatisfy { $0.count == 0 })
        #expect(histogram.count == 2)
    }

    @Test func `the limits of times are 65 microseconds to 34 seconds`() {
        let limits = Histogram.times.buckets.map(\.limit)
        #expect(limits.first == 65_536 && limits.last == 34_359_738_368)
    }

    @Test func `the values of two histograms are added up`() {
        var (sum, other) = (Histogram.numbers, Histogram.numbers)
        sum.add(1)
        other.add(7)
        sum.add(other)
        #expect(sum.count == 2 && sum.sum == 8)
        #expect(sum.buckets.map(\.count).prefix(4) == [1, 1, 1, 2])
    }
}
