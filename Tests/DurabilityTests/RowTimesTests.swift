import Testing
import Timers

@testable import Durability

@Suite struct RowTimesTests {
    private func times(_ rows: [(Int, Double)]) -> RowTimes {
        var times = RowTimes()
        for (position, seconds) in rows {
            times.add(position, at: Instant(nanoseconds: Int64(seconds * 1_000_000_000)))
        }
        return times
    }

    private func position(in times: RowTimes, before seconds: Double) -> Int {
        times.position(before: Instant(nanoseconds: Int64(seconds * 1_000_000_000)))
    }

    @Test func `the position found for an instant precedes all rows since then`() {
        let times = times([(1, 10.2), (2, 10.9), (3, 12), (4, 15.5)])
        #expect(position(in: times, before: 10.5) == 0)
        #expect(position(in: times, before: 11) == 0)
        #expect(position(in: times, before: 12.5) == 2)
        #expect(position(in: times, before: 15) == 3)
        #expect(position(in: times, before: 14.9) == 2)
        #expect(position(in: times, before: 99) == 3)
        #expect(position(in: times, before: 1) == 0)
        #expect(position(in: RowTimes(), before: 5) == 0)
    }

    @Test func `times of rows older than an hour before the newest one are removed`() {
        var rows = [(1, 0.0)]
        for second in 1...4000 { rows.append((second + 1, Double(second))) }
        let times = times(rows)
        #expect(position(in: times, before: 3900) == 3900)
        // All earlier rows are forgotten: this is the position before the oldest row whose time is remembered.
        #expect(position(in: times, before: 10) == 400)
    }

    @Test func `a clock that was set back does not hide rows`() {
        let times = times([(1, 100), (2, 50), (3, 101)])
        #expect(position(in: times, before: 100.5) == 0)
        #expect(position(in: times, before: 50) == 0)
    }
}
