import Ownership
import Testing

@Suite struct ClockDifferenceTests {
    /// A measurement; the times of the clocks are in milliseconds.
    private func measure(
        remote: Int64, before: Int64, after: Int64, previous: ClockDifference? = nil
    ) -> ClockDifference {
        ClockDifference(
            remote: .milliseconds(remote), before: .milliseconds(before),
            after: .milliseconds(after), previous: previous)
    }

    @Test func `a fast answer shows the difference`() {
        // The answer took 4 ms, so the difference is at least 598 and at most 602 ms.
        let found = measure(remote: 10_602, before: 10_000, after: 10_004)
        #expect(found.estimate == .milliseconds(600) && found.certainPart == .milliseconds(598))
        let behind = measure(remote: 9_402, before: 10_000, after: 10_004)
        #expect(behind.certainPart == .milliseconds(-598))
    }

    @Test(arguments: [(10_000, 12_600), (7_400, 10_000), (9_000, 11_000)])
    func `a late answer does not look like a difference`(_ before: Int64, _ after: Int64) {
        let found = measure(remote: 10_000, before: before, after: after)
        #expect(found.certainPart == .zero)
    }

    @Test func `a measurement whose range contains the previous estimate keeps this estimate`() {
        let accurate = measure(remote: 10_002, before: 10_000, after: 10_004)
        let late = measure(remote: 12_500, before: 12_000, after: 15_000, previous: accurate)
        #expect(late.estimate == accurate.estimate)
        // The remote clock was set forward: the difference is now at least 1000 and at most 1100 ms.
        let moved = measure(remote: 21_100, before: 20_000, after: 20_100, previous: late)
        #expect(moved.estimate == .milliseconds(1000) && moved.certainPart == .milliseconds(1000))
    }

    @Test func `a local clock that is set back during a measurement does not make the range empty`()
    {
        let found = measure(remote: 10_000, before: 10_000, after: 5_000)
        #expect(found.minimum <= found.maximum && found.certainPart == .zero)
    }
}
