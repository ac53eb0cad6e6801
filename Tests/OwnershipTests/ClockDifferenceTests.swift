import Ownership
import Testing

@Suite struct ClockDifferenceTests {
    private func measure(
        _ remote: Int64, _ before: Int64, _ after: Int64, last: ClockDifference? = nil
    ) -> ClockDifference {
        ClockDifference(
            remote: .milliseconds(remote), before: .milliseconds(before),
            after: .milliseconds(after), last: last)
    }

    @Test func `a fast answer shows the difference`() {
        let found = measure(10_602, 10_000, 10_004)
        #expect(found.estimate == .milliseconds(600) && found.certainPart == .milliseconds(598))
        #expect(measure(9_402, 10_000, 10_004).certainPart == .milliseconds(-598))
    }

    @Test(arguments: [(10_000, 12_600), (7_400, 10_000), (9_000, 11_000)])
    func `a late answer does not look like a difference`(_ before: Int64, _ after: Int64) {
        let found = measure(10_000, before, after)
        #expect(found.certainPart == .zero)
    }

    @Test func `an inaccurate measurement does not change an estimate that it allows`() {
        let accurate = measure(10_002, 10_000, 10_004)
        let late = measure(12_500, 12_000, 15_000, last: accurate)
        #expect(late.estimate == accurate.estimate)
        // The clock was set forward by at least a second.
        let moved = measure(21_100, 20_000, 20_100, last: late)
        #expect(moved.estimate == .milliseconds(1000) && moved.certainPart == .milliseconds(1000))
    }

    @Test func `a local clock that was set back in between gives no range that is empty`() {
        let found = measure(10_000, 10_000, 5_000)
        #expect(found.minimum <= found.maximum && found.certainPart == .zero)
    }
}
