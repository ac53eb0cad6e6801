import Testing
import Timers

@Suite struct DurationTests {
    @Test func `milliseconds that remain are rounded up`() {
        #expect(Duration.nanoseconds(1).milliseconds == 1)
        #expect(Duration.nanoseconds(1_000_000).milliseconds == 1)
        #expect(Duration.nanoseconds(1_000_001).milliseconds == 2)
        #expect(Duration.zero.milliseconds == 0)
        #expect(Duration.nanoseconds(1_000_001).roundedUp == .milliseconds(2))
    }

    @Test func `nanoseconds are exact, and saturate`() {
        // From 9 444.7 s, which is 2^73 attoseconds, the conversion takes another path.
        for seconds in [0, 1, 9_444, 9_445, 100_000, Int64(3653 * 86_400), -1, -9_445] {
            for fraction in [Int64(0), 1, 999_999_999] {
                let length = Duration.seconds(seconds) + .nanoseconds(fraction)
                #expect(length.nanoseconds == seconds * 1_000_000_000 + fraction)
            }
        }
        #expect(Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).nanoseconds == 1)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect((Duration.seconds(Int64.max) + .seconds(Int64.max)).nanoseconds == .max)
        #expect(Duration.nanoseconds(Int64.max).milliseconds == Int64.max / 1_000_000 + 1)
    }

    @Test func `no instant overflows`() {
        #expect(Instant.last + .longest > Instant.last)
        #expect((Instant(nanoseconds: .max) + .seconds(1)).nanoseconds == .max)
        #expect((Instant(nanoseconds: 5) + .seconds(Int64.max)).nanoseconds == .max)
        let gap = Instant(nanoseconds: .min) - Instant(nanoseconds: .max)
        #expect(gap.nanoseconds == .min)
    }

    @Test func `durations are subtracted, and counted in minutes`() {
        #expect(Duration.minutes(60) - .minutes(5) == .seconds(3_300))
        #expect(Duration.minutes(.max) == .seconds(Int64.max))
        #expect(Duration.minutes(.min) == .seconds(Int64.min))
    }

    @Test func `the longest timer set at the last instant does not overflow`() {
        let (_, overflow) = Instant.last.nanoseconds
            .addingReportingOverflow(Duration.longest.nanoseconds)
        #expect(!overflow)
    }
}
