import Testing
import Timers

@Suite struct IntervalTests {
    @Test func `milliseconds that remain are rounded up`() {
        #expect(Interval(nanoseconds: 1).milliseconds == 1)
        #expect(Interval(nanoseconds: 1_000_000).milliseconds == 1)
        #expect(Interval(nanoseconds: 1_000_001).milliseconds == 2)
        #expect(Interval.zero.milliseconds == 0)
        #expect(Interval(nanoseconds: 1_000_001).roundedUp == .milliseconds(2))
    }

    @Test func `no length overflows`() {
        #expect(Interval.seconds(.max) == Interval(nanoseconds: .max))
        #expect(Interval.seconds(.min) == Interval(nanoseconds: .min))
        #expect(Interval.seconds(.max) + .seconds(.max) == Interval(nanoseconds: .max))
        #expect(Instant.last + .longest > Instant.last)
        #expect((Instant(nanoseconds: .max) + .seconds(1)).nanoseconds == .max)
        #expect((Instant(nanoseconds: .min) - Instant(nanoseconds: .max)).nanoseconds == .min)
    }

    @Test func `intervals are subtracted, and counted in minutes`() {
        #expect(Interval.minutes(60) - .minutes(5) == .seconds(3_300))
        #expect(Interval.seconds(1) - .seconds(3) == .seconds(-2))
        #expect(Interval.minutes(.max) == Interval(nanoseconds: .max))
        #expect(Interval.minutes(.min) == Interval(nanoseconds: .min))
        #expect(Interval(nanoseconds: .min) - .seconds(1) == Interval(nanoseconds: .min))
        #expect(Interval(nanoseconds: .max) - .seconds(-1) == Interval(nanoseconds: .max))
        #expect(Interval.zero - Interval(nanoseconds: .min) == Interval(nanoseconds: .max))
    }

    @Test func `the longest timer fits behind the last instant`() {
        let (_, overflow) = Instant.last.nanoseconds
            .addingReportingOverflow(Interval.longest.nanoseconds)
        #expect(!overflow)
    }
}
