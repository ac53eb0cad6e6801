import Support
import TestSupport
import Testing

@testable import Sessions

@Suite struct PercentileTests {
    @Test
    func
        `the percentile of p is the smallest value that at least p percent of the values do not exceed`()
    {
        #expect(Percentile.of([], percent: 50) == nil)
        #expect(Percentile.of([7], percent: 1) == 7)
        #expect(Percentile.of([7], percent: 100) == 7)
        #expect(Percentile.of([1, 2], percent: 50) == 1)
        #expect(Percentile.of([1, 2], percent: 51) == 2)
        #expect(Percentile.of(Array(1...100), percent: 90) == 90)
        #expect(Percentile.of(Array(1...20), percent: 90) == 18)
        #expect(Percentile.of([1, 2], percent: 0) == nil)
        #expect(Percentile.of([1, 2], percent: 101) == nil)
    }

    @Test(arguments: seeds(1, long: 10))
    func `the 90th percentile counts only the newest times, and no removed ones`(seed: UInt64) {
        var random = SeededRandom(seed)
        var (times, model) = (RecentTimes(), [Int64]())
        for step in 0..<2000 {
            if step % 7 == 3, let value = model.randomElement(using: &random) {
                times.remove(value)
                if let index = model.lastIndex(of: value) { model.remove(at: index) }
            } else {
                let value = Int64.random(in: 0...50, using: &random)
                times.add(value, endedAt: Int64(step))
                model.append(value)
                if model.count > RecentTimes.maxCount { model.removeFirst() }
            }
            // With fewer than 20 times there is no percentile. Otherwise its rank is 90 % of the count, rounded up.
            let expected =
                model.count < 20 ? nil : model.sorted()[(model.count * 9 + 9) / 10 - 1]
            #expect(times.p90 == expected, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: seeds(1, long: 10))
    func `the order in which visits are added does not matter`(seed: UInt64) {
        var random = SeededRandom(seed)
        let visits = (0..<1200).map {
            (end: Int64($0), time: Int64.random(in: 0...999, using: &random))
        }
        var (inOrder, shuffled) = (RecentTimes(), RecentTimes())
        for visit in visits { inOrder.add(visit.time, endedAt: visit.end) }
        for visit in visits.shuffled(using: &random) {
            shuffled.add(visit.time, endedAt: visit.end)
        }
        let newest = visits.suffix(RecentTimes.maxCount).map(\.time).sorted()
        #expect(inOrder.p90 == newest[(newest.count * 9 + 9) / 10 - 1], "seed \(seed)")
        #expect(shuffled.p90 == inOrder.p90, "seed \(seed)")
    }
}
