internal import GameFlow
internal import Support
public import Timers

/// Reads an instant that people write: a duration before another instant, or a date.
public enum InstantText {
    /// The expected form, for error messages.
    public static let expectedForm =
        "a duration before now such as 7d or 12h, a date such as 2026-11-20 or 2026-11-20T18:30, with a Z at its end in UTC, or milliseconds"

    /// Reads a date, or a duration before `now`: `7d` is seven days before `now`, but never before zero on the clock. A date is that
    /// of a wall clock. Nil if the text is neither.
    public static func read(_ text: String, before now: Instant, on wallClock: CivilClock)
        -> Instant?
    {
        if let length = DurationText.read(text) {
            return max(.zero, now + .nanoseconds(-length.nanoseconds))
        }
        return date(text, wallClock)
    }

    /// Returns the instant at which the clock shows this number of milliseconds; nil if it is outside the clock's range.
    public static func read(milliseconds: Int) -> Instant? {
        guard 0...Int(Instant.last.milliseconds) ~= milliseconds else { return nil }
        return Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
    }

    /// Reads a date such as `2026-11-20`, `2026-11-20T18:30`, `2026-11-20T18:30:00`, or in UTC `2026-11-20T18:30:00Z`.
    private static func date(_ text: String, _ wallClock: CivilClock) -> Instant? {
        var (text, clock) = (text, wallClock)
        if text.hasSuffix("Z"), text.contains("T") {
            text.removeLast()
            clock = clock.inUTC
        }
        let dateAndTime = text.split(separator: "T", omittingEmptySubsequences: false)
        guard let date = dateAndTime.first, let day = day(date), dateAndTime.count <= 2
        else { return nil }
        guard dateAndTime.count == 2 else { return instant(TimeOfDay(hour: 0), day, clock) }
        let parts = dateAndTime[1].split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let hour = number(parts[0], digits: 2, 0...23),
            let minute = number(parts[1], digits: 2, 0...59),
            let second = parts.count == 3 ? number(parts[2], digits: 2, 0...59) : 0
        else { return nil }
        return instant(TimeOfDay(hour: hour, minute: minute, second: second), day, clock)
    }

    /// The first day of 1970 begins before 1970 UTC in the east.
    private static func instant(_ time: TimeOfDay, _ day: Int, _ clock: CivilClock) -> Instant {
        max(.zero, clock.instant(of: time, onDay: day))
    }

    /// The number of days from 1970-01-01 to a date such as `2026-11-20`.
    private static func day(_ text: Substring) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Years after 2200 are refused, because the range of a clock (`Instant.last`) ends in 2220.
        guard parts.count == 3, let year = number(parts[0], digits: 4, 1970...2200),
            let month = number(parts[1], digits: 2, 1...12),
            let day = number(parts[2], digits: 2, 1...31)
        else { return nil }
        return Timestamp.day(of: (year, month, day))
    }

    /// Reads a number with exactly `digits` digits, within a range.
    private static func number(
        _ text: Substring, digits: Int, _ range: ClosedRange<Int>
    ) -> Int? {
        let digitBytes = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard text.utf8.count == digits, text.utf8.allSatisfy({ digitBytes ~= $0 }),
            let number = Int(text), range ~= number
        else { return nil }
        return number
    }
}
