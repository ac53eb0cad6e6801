import RPC
import Testing
import Timers

@Suite struct InstantTextTests {
    private let now = Instant(nanoseconds: 1_795_168_800_000_000_000)

    @Test(arguments: [
        ("1970-01-01", 0), ("2000-02-29", 951_782_400), ("2026-11-20", 1_795_132_800),
        ("2026-11-20T10:00", 1_795_168_800), ("2026-11-20T10:00:05", 1_795_168_805),
        ("2026-11-20T10:00:05Z", 1_795_168_805), ("2100-03-01", 4_107_542_400),
        ("2200-12-31T23:59:59Z", 7_289_654_399),
    ])
    func `a date is that of the wall clock`(_ text: String, _ seconds: Int) {
        #expect(InstantText.read(text, before: now, on: CivilClock(.utc)) == .seconds(seconds))
    }

    /// On 2026-03-29 the clocks of Berlin skip the hour from 2:00, and on 2026-10-25 they show the hour from 2:00 twice.
    @Test(arguments: [
        ("2026-11-20", 1_795_129_200), ("2026-07-01T00:00", 1_782_856_800),
        ("2026-03-29T02:30", 1_774_746_000), ("2026-10-25T02:30", 1_792_888_200),
        ("2026-11-20T10:00:05Z", 1_795_168_805), ("1970-01-01", 0),
    ])
    func `a date without a Z is in the zone of the wall clock`(_ text: String, _ seconds: Int)
        throws
    {
        let berlin = try #require(ClockZone(rule: "CET-1CEST,M3.5.0,M10.5.0/3"))
        #expect(InstantText.read(text, before: now, on: CivilClock(berlin)) == .seconds(seconds))
        // At the zero of a virtual clock, it is midnight in its zone.
        #expect(
            InstantText.read("1970-01-02", before: now, on: .virtual(berlin)) == .seconds(86_400))
    }

    @Test func `a duration is subtracted from the present, but not below the clock's zero`() {
        #expect(
            InstantText.read("1h", before: .seconds(7200), on: CivilClock(.utc)) == .seconds(3600))
        #expect(InstantText.read("7d", before: .seconds(7200), on: CivilClock(.utc)) == .zero)
    }

    @Test(arguments: [
        "", "yesterday", "2026", "2026-11", "2026-11-31", "2025-02-29", "2100-02-29", "1969-12-31",
        "2201-01-01", "26-11-20", "2026-1-2", "2026-11-20T", "2026-11-20T24:00", "2026-11-20T10:60",
        "2026-11-20T10", "2026-11-20T10:00:60", "2026-11-20T10:00:05+01:00", "2026-11-20Z",
        "2026-11-20 10:00", "-1d", "99999999999999999999",
    ])
    func `other texts are not instants`(_ text: String) {
        #expect(InstantText.read(text, before: now, on: CivilClock(.utc)) == nil)
    }

    @Test func `milliseconds are parsed up to the clock's last instant`() {
        #expect(InstantText.read(milliseconds: 1500) == Instant(nanoseconds: 1_500_000_000))
        #expect(InstantText.read(milliseconds: -1) == nil)
        #expect(InstantText.read(milliseconds: .max) == nil)
    }
}
