import Glibc
import Support

/// Times in the form that gamectl prints.
enum ClockText {
    /// A duration in milliseconds: `1:12`, `1:02:03`, `3d 4:05:06`. The duration is rounded up to whole seconds. So a countdown
    /// shows `0:00` only when no time is left.
    static func length(_ ms: Int) -> String {
        let seconds = max(0, ms) / 1000 + (max(0, ms) % 1000 > 0 ? 1 : 0)
        let (days, hours) = (seconds / 86_400, seconds / 3600 % 24)
        guard days > 0 else { return DurationText.clock(milliseconds: max(0, ms)) }
        let minutesAndSeconds = "\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
        return "\(days)d \(hours):\(minutesAndSeconds)"
    }

    /// An instant of the virtual clock, in milliseconds since the clock's zero: `0:01:30.000`.
    static func sinceZero(_ ms: Int) -> String {
        let ms = max(0, ms)
        return
            "\(ms / 3_600_000):\(twoDigits(ms / 60_000 % 60)):\(twoDigits(ms / 1000 % 60)).\(threeDigits(ms % 1000))"
    }

    /// An instant of the real clock, in milliseconds since 1970, as local time: `09:02:32.123`. An instant outside the range of
    /// localtime_r(3) is written as by `sinceZero`. Wraps localtime_r(3).
    static func timeOfDay(_ ms: Int) -> String {
        var seconds = time_t(ms / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return sinceZero(ms) }
        let (hour, minute) = (twoDigits(Int(parts.tm_hour)), twoDigits(Int(parts.tm_min)))
        return "\(hour):\(minute):\(twoDigits(Int(parts.tm_sec))).\(threeDigits(abs(ms % 1000)))"
    }

    /// As `timeOfDay`, but with the date: `2026-11-20 09:02:32.123`. Wraps localtime_r(3).
    static func date(_ ms: Int) -> String {
        var seconds = time_t(ms / 1000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return sinceZero(ms) }
        let (month, day) = (twoDigits(Int(parts.tm_mon) + 1), twoDigits(Int(parts.tm_mday)))
        return "\(parts.tm_year + 1900)-\(month)-\(day) \(timeOfDay(ms))"
    }

    /// As `timeOfDay`, but with the date if that is not today's. Wraps localtime_r(3).
    static func timeOrDate(_ ms: Int, hasMilliseconds: Bool = true) -> String {
        var (seconds, present) = (time_t(ms / 1000), time(nil))
        var (parts, today) = (tm(), tm())
        guard localtime_r(&seconds, &parts) != nil, localtime_r(&present, &today) != nil else {
            return sinceZero(ms)
        }
        let isToday = parts.tm_year == today.tm_year && parts.tm_yday == today.tm_yday
        let text = isToday ? timeOfDay(ms) : date(ms)
        return hasMilliseconds ? text : String(text.dropLast(".123".utf8.count))
    }

    /// The milliseconds since 1970 of a time as the daemon writes it, such as `2026-11-20T09:02:32.123Z`; nil for another text.
    /// Wraps timegm(3).
    static func milliseconds(of text: String) -> Int? {
        let numbers = text.split { !$0.isNumber }.compactMap { Int32($0) }
        guard numbers.count == 7, text.hasSuffix("Z") else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            numbers[0] - 1900, numbers[1] - 1, numbers[2]
        )
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        return timegm(&parts) * 1000 + Int(numbers[6])
    }

    /// The present time for the name of a file, in UTC: `20261120T090232Z`. Wraps time(2), gmtime_r(3).
    static func fileNameTime() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date =
            "\(parts.tm_year + 1900)\(twoDigits(Int(parts.tm_mon) + 1))\(twoDigits(Int(parts.tm_mday)))"
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { twoDigits(Int($0)) }
        return "\(date)T\(clock.joined())Z"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
    private static func threeDigits(_ number: Int) -> String {
        number < 100 ? "0\(twoDigits(number))" : "\(number)"
    }
}
