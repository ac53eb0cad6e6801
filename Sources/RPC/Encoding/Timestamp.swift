internal import JSONCoding
package import Timers

/// The text form of an instant on a clock whose zero is 1970-01-01 in UTC.
package enum Timestamp {
    /// Writes the date and time by RFC 3339, in UTC, with milliseconds: `2026-11-20T09:02:32.123Z`.
    static func write(_ instant: Instant, to writer: inout JSONWriter) {
        // No clock shows a time before its zero.
        let ms = max(0, Int(instant.milliseconds))
        let (day, millisecondOfDay) = (ms / 86_400_000, ms % 86_400_000)
        let (year, month, dayOfMonth) = date(day)
        // `twoDigits` writes the last two digits of a number.
        writer.twoDigits(year / 100)
        writer.twoDigits(year)
        writer.raw("-")
        writer.twoDigits(month)
        writer.raw("-")
        writer.twoDigits(dayOfMonth)
        writer.raw("T")
        writer.twoDigits(millisecondOfDay / 3_600_000)
        writer.raw(":")
        writer.twoDigits(millisecondOfDay / 60_000 % 60)
        writer.raw(":")
        writer.twoDigits(millisecondOfDay / 1000 % 60)
        writer.raw(".")
        writer.digits(millisecondOfDay / 100 % 10)
        writer.twoDigits(millisecondOfDay)
        writer.raw("Z")
    }

    /// The date and time by RFC 3339, in UTC, with milliseconds.
    package static func text(_ instant: Instant) -> String {
        String(decoding: JSONWriter.bytes { write(instant, to: &$0) }, as: UTF8.self)
    }

    /// The number of days from 1970-01-01 to a date of the Gregorian calendar; nil if the date does not exist. `date(_:)` is
    /// the reverse calculation, and its comment explains the numbers.
    static func day(of date: (year: Int, month: Int, day: Int)) -> Int? {
        let year = date.month <= 2 ? date.year - 1 : date.year
        let month = date.month <= 2 ? date.month + 9 : date.month - 3
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * month + 2) / 5 + date.day - 1
        let day =
            era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
        return Self.date(day) == date ? day : nil
    }

    /// The Gregorian date of a day, which is counted from 1970-01-01.
    ///
    /// The calculation begins each year with March 1, so that a leap day is the last day of its year. It counts days from March
    /// 1 of the year 0, which is 719468 days before 1970-01-01. An era is 400 years, or 146097 days. To find the year, the leap
    /// days before the day are subtracted first. A leap day follows each 4 years of 1460 days. No leap day follows a century of
    /// 36524 days, except at the end of an era (day 146096). The five months from March have 153 days, like the five months
    /// from August. So `(153 * month + 2) / 5` is the number of days before a month, counted from March as 0.
    static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let day = day + 719_468
        let (era, dayOfEra) = (day / 146_097, day % 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
