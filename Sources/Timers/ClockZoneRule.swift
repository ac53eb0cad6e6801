/// How the clocks of a zone go on after the changes that its file lists: a text of POSIX such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ClockZoneRule: Sendable {
    /// By how many seconds the clocks are ahead of UTC in standard time.
    let standardOffset: Int
    /// The summer time; nil if the zone has none.
    private let summer: Summer?

    private struct Summer {
        let offset: Int
        let start, end: YearDay
    }

    /// A day of each year, and the local time of the change.
    private struct YearDay {
        enum Day {
            /// The day of the year from 0; February 29 counts.
            case dayOfYear(Int)
            /// The day of the year from 1; February 29 is never counted.
            case dayWithoutLeap(Int)
            /// The nth weekday of a month, from Sunday as 0; the fifth is the last.
            case weekday(month: Int, nth: Int, Int)
        }
        let day: Day
        /// In seconds from 00:00; it may be on another day.
        let time: Int

        /// The seconds from 1970-01-01 00:00 to the change in a year, both in local time.
        func second(in year: Int) -> Int {
            let start = CivilDay.number(year, 1, 1)
            let number =
                switch day {
                case .dayOfYear(let day): start + day
                case .dayWithoutLeap(let day):
                    start + day - 1 + (CivilDay.isLeap(year) && day >= 60 ? 1 : 0)
                case .weekday(let month, let nth, let weekday):
                    CivilDay.weekday(weekday, nth: nth, month, year)
                }
            return number * ClockZone.day + time
        }
    }

    /// Reads a rule; nil if the text is not a rule.
    init?(_ text: String) {
        var parser = Parser(text)
        guard parser.skipName(), let standard = parser.time() else { return nil }
        standardOffset = -standard
        guard !parser.isAtEnd else {
            summer = nil
            return
        }
        guard parser.skipName() else { return nil }
        let offset =
            parser.nextIs(",") ? standardOffset + 3600 : parser.time().map { -$0 }
        guard let offset, parser.skip(","), let start = parser.yearDay(), parser.skip(","),
            let end = parser.yearDay(), parser.isAtEnd
        else { return nil }
        summer = Summer(offset: offset, start: start, end: end)
    }

    /// By how many seconds the clocks are ahead of UTC at an instant, in seconds since 1970 UTC.
    func offset(at second: Int) -> Int {
        guard let summer else { return standardOffset }
        let year = CivilDay.year((second + standardOffset).flooredQuotient(ClockZone.day))
        let start = summer.start.second(in: year) - standardOffset
        let end = summer.end.second(in: year) - summer.offset
        // In the south, the summer begins in one year and ends in the next.
        let isSummer = start < end ? start..<end ~= second : !(end..<start ~= second)
        return isSummer ? summer.offset : standardOffset
    }

    private struct Parser {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.isEmpty }

        func nextIs(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard nextIs(character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Skips the abbreviation of a zone: three letters or more, or anything in `<…>`.
        mutating func skipName() -> Bool {
            if skip("<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let letters = rest.prefix { UInt8(ascii: "A")...UInt8(ascii: "z") ~= $0 }
            rest.removeFirst(letters.count)
            return letters.count >= 3
        }

        /// Reads a time such as `2`, `-1:30` or `25:00:00`, in seconds.
        mutating func time() -> Int? {
            let sign = skip("-") ? -1 : 1
            if sign == 1 { _ = skip("+") }
            guard var seconds = number(upTo: 167).map({ $0 * 3600 }) else { return nil }
            for unit in [60, 1] where skip(":") {
                guard let part = number(upTo: 59) else { return nil }
                seconds += part * unit
            }
            return sign * seconds
        }

        mutating func yearDay() -> YearDay? {
            let day: YearDay.Day
            if skip("M") {
                guard let month = number(upTo: 12), month > 0, skip("."),
                    let nth = number(upTo: 5), nth > 0, skip("."), let weekday = number(upTo: 6)
                else { return nil }
                day = .weekday(month: month, nth: nth, weekday)
            } else if skip("J") {
                guard let number = number(upTo: 365), number > 0 else { return nil }
                day = .dayWithoutLeap(number)
            } else {
                guard let number = number(upTo: 365) else { return nil }
                day = .dayOfYear(number)
            }
            guard skip("/") else { return YearDay(day: day, time: 2 * 3600) }
            return time().map { YearDay(day: day, time: $0) }
        }

        private mutating func number(upTo limit: Int) -> Int? {
            let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            rest.removeFirst(digits.count)
            guard (1...3).contains(digits.count) else { return nil }
            let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
            return number <= limit ? number : nil
        }
    }
}

/// Days of the Gregorian calendar, by their numbers from 1970-01-01.
private enum CivilDay {
    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of a day.
    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let lengths = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let years = year - 1
        let leapDays =
            years.flooredQuotient(4) - years.flooredQuotient(100) + years.flooredQuotient(400)
        // 719 162 days from 0001-01-01 to 1970-01-01
        return years * 365 + leapDays - 719_162 + lengths.prefix(month - 1).reduce(0, +) + day - 1
    }

    /// The year of a day.
    static func year(_ day: Int) -> Int {
        var year = 1970 + (day * 400).flooredQuotient(146_097)
        while number(year, 1, 1) > day { year -= 1 }
        while number(year + 1, 1, 1) <= day { year += 1 }
        return year
    }

    /// The nth weekday of a month, from Sunday as 0; the fifth is the last.
    static func weekday(_ weekday: Int, nth: Int, _ month: Int, _ year: Int) -> Int {
        let first = number(year, month, 1)
        // 1970-01-01 was a Thursday.
        let firstWeekday = first + 4 - (first + 4).flooredQuotient(7) * 7
        let day = first + (weekday - firstWeekday + 7) % 7 + (nth - 1) * 7
        let next = month == 12 ? number(year + 1, 1, 1) : number(year, month + 1, 1)
        return day < next ? day : day - 7
    }
}
