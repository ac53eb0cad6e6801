import Testing
import Timers

@testable import Durability

/// `RowTimes` remembers only the first row of each second. For an instant, it considers these rows up to the instant's second.
/// It returns the position before the newest of them.
@Suite struct RowTimesTests {
    /// `rows` are positions, each with its time in seconds.
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

    @Test func `the times of rows are removed when the newest row is more than an hour newer`() {
        var rows = [(1, 0.0)]
        for second in 1...4000 { rows.append((second + 1, Double(second))) }
        let times = times(rows)
        #expect(position(in: times, before: 3900) == 3900)
        // The oldest row whose time is remembered is row 401, of the second 400 = 4000 - 3600. The position before it is 400.
        #expect(position(in: times, before: 10) == 400)
    }

    @Test func `a clock that was set back does not hide rows`() {
        let times = times([(1, 100), (2, 50), (3, 101)])
        #expect(position(in: times, before: 100.5) == 0)
        #expect(position(in: times, before: 50) == 0)
    }
}
