import Testing

@testable import Timers

/// Time zones, and when their clocks show a time of day.
@Suite struct ClockZoneTests {
    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ time: String) -> Int {
        // Days from 1970 by counting: slow, and independent of what is tested.
        var days = 0
        for year in 1970..<year { days += isLeap(year) ? 366 : 365 }
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        days += lengths[..<(month - 1)].reduce(0, +) + day - 1
        return days * 86_400 + (TimeOfDay(time)?.second ?? 0)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && year % 100 != 0 || year % 400 == 0
    }

    private func zone(_ name: String) throws -> ClockZone { try #require(ClockZone.named(name)) }

    @Test(arguments: [
        // UTC is ahead of the zone's clocks by these hours.
        ("Europe/Berlin", 2026, 1, 15, 1.0), ("Europe/Berlin", 2026, 7, 15, 2.0),
        ("Europe/Berlin", 2090, 1, 15, 1.0), ("Europe/Berlin", 2090, 7, 15, 2.0),
        ("America/New_York", 2026, 1, 15, -5.0), ("America/New_York", 2150, 7, 4, -4.0),
        ("Australia/Sydney", 2100, 1, 1, 11.0), ("Australia/Sydney", 2100, 7, 1, 10.0),
        ("Asia/Kolkata", 2026, 5, 5, 5.5), ("UTC", 2026, 1, 1, 0.0),
    ])
    func `clocks are ahead of UTC`(
        _ name: String, _ year: Int, _ month: Int, _ day: Int, _ hours: Double
    ) throws {
        let second = Self.seconds(year, month, day, "12:00")
        #expect(try zone(name).offset(at: second) == Int(hours * 3600))
    }

    @Test(arguments: ["Europe/Berlin", "America/New_York", "Australia/Sydney"])
    func `the rule of a file says the same as its list`(_ name: String) throws {
        // The files list the changes until 2037; the rule goes on the same way every 400 years, and 28 years without a
        // century.
        let zone = try zone(name)
        for day in 0..<3000 {
            let second = Self.seconds(2029, 1, 1, "00:00") + day * 86_400 + 7200
            #expect(
                zone.offset(at: second) == zone.offset(at: second + 28 * 365 * 86_400 + 7 * 86_400))
        }
    }

    private func next(_ time: String, _ zone: String, after second: Int) throws -> Int {
        let instant = try self.zone(zone).next(
            #require(TimeOfDay(time)), after: .seconds(second))
        return Int(instant.nanoseconds / 1_000_000_000)
    }

    @Test func `the next time of day is today's or tomorrow's`() throws {
        let noon = Self.seconds(2026, 1, 15, "11:00")  // 12:00 in Berlin
        #expect(try next("20:00", "Europe/Berlin", after: noon) == noon + 8 * 3600)
        #expect(try next("11:59:59", "Europe/Berlin", after: noon) == noon + 86_399)
        #expect(try next("12:00", "Europe/Berlin", after: noon) == noon + 86_400)
        #expect(try next("12:00", "Europe/Berlin", after: noon - 1) == noon)
        #expect(try next("00:00", "Pacific/Auckland", after: noon) == noon + 86_400)
        #expect(try next("00:00", "Pacific/Auckland", after: noon - 1) == noon)
    }

    @Test func `a time that is skipped is the first moment after the gap`() throws {
        // In Berlin, 2026-03-29 02:00 was followed by 03:00.
        let change = Self.seconds(2026, 3, 29, "01:00")
        for time in ["02:00", "02:30", "02:59:59"] {
            #expect(try next(time, "Europe/Berlin", after: change - 7200) == change, "\(time)")
        }
        #expect(try next("03:00", "Europe/Berlin", after: change - 7200) == change)
        #expect(try next("01:59:59", "Europe/Berlin", after: change - 7200) == change - 1)
        // The gap's end itself is not after itself.
        #expect(try next("02:30", "Europe/Berlin", after: change) == change + 23 * 3600 + 1800)
    }

    @Test func `a time that occurs twice is the first of the two`() throws {
        // In Berlin, 2026-10-25 03:00 was followed by 02:00.
        let change = Self.seconds(2026, 10, 25, "01:00")
        #expect(try next("02:30", "Europe/Berlin", after: change - 7200) == change - 1800)
        // Entered between the two, the state waits for the next day.
        #expect(
            try next("02:30", "Europe/Berlin", after: change - 60) == change + 86_400 + 1800)
        #expect(try next("03:00", "Europe/Berlin", after: change - 7200) == change + 3600)
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, 7, 2), ("<+03>-3", 2026, 7, 3),
        ("EST5EDT,M3.2.0,M11.1.0", 2026, 7, -4), ("EST5EDT,M3.2.0,M11.1.0", 2026, 12, -5),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, 7, 1), ("X-1Y", 2026, 7, nil),
        ("AAA3BBB,J60/0,J300/0", 2026, 7, -2), ("AAA3BBB,59/0,299/0", 2026, 1, -3),
        ("CET", 2026, 7, nil), ("", 2026, 7, nil), ("CET-1CEST,M13.5.0,M10.5.0", 2026, 7, nil),
        ("CET-1CEST,M3.5.0", 2026, 7, nil), ("<+03", 2026, 7, nil),
    ])
    func `rules of POSIX are read`(_ text: String, _ year: Int, _ month: Int, _ hours: Int?) {
        let offset = ClockZone(rule: text)?.offset(at: Self.seconds(year, month, 1, "12:00"))
        #expect(offset == hours.map { $0 * 3600 })
    }

    @Test(arguments: [
        "", "Nowhere/Else", "../etc/passwd", "/etc/localtime", "Europe", "Europe/", ".",
        "tzdata.zi",
    ])
    func `other names are no zones`(_ name: String) {
        #expect(ClockZone.named(name) == nil)
    }

    @Test func `a damaged file is no zone`() {
        let header = Array("TZif2".utf8)
        #expect(ClockZone("x", file: []) == nil)
        #expect(ClockZone("x", file: header) == nil)
        for count in 0..<60 {
            var bytes = header + [UInt8](repeating: 0xFF, count: count)
            #expect(ClockZone("x", file: bytes) == nil)
            bytes = header + [UInt8](repeating: 0, count: count)
            #expect(ClockZone("x", file: bytes) == nil)
        }
    }

    @Test func `a virtual clock begins at midnight of the zone`() throws {
        let clock = CivilClock.virtual(try zone("America/New_York"))
        #expect(clock.lead == .seconds(5 * 3600))
        let until = clock.next(TimeOfDay(hour: 20), after: .zero)
        #expect(until.deadline == .seconds(20 * 3600))
        #expect(until.zone == "America/New_York")
    }

    @Test func `a search enters each state at midnight`() {
        for second in [0, 1, 100_000] {
            let now = Instant.seconds(second)
            #expect(
                CivilClock.search.next(TimeOfDay(hour: 20), after: now).deadline
                    == now + .seconds(72_000))
            #expect(
                CivilClock.search.next(TimeOfDay(hour: 0), after: now).deadline
                    == now + .seconds(86_400))
        }
    }
}
