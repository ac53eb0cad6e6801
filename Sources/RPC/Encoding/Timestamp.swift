internal import JSONCoding
package import Timers

/// The text form of an instant.
package enum Timestamp {
    /// Writes date and time by RFC 3339, in UTC, with milliseconds: `2026-11-20T09:02:32.123Z`.
    static func write(_ instant: Instant, to writer: inout JSONWriter) {
        // No clock shows a time before its zero.
        let ms = max(0, Int(instant.milliseconds))
        let (day, ofDay) = (ms / 86_400_000, ms % 86_400_000)
        let (year, month, dayOfMonth) = date(day)
        writer.twoDigits(year / 100)
        writer.twoDigits(year)
        writer.raw("-")
        writer.twoDigits(month)
        writer.raw("-")
        writer.twoDigits(dayOfMonth)
        writer.raw("T")
        writer.twoDigits(ofDay / 3_600_000)
        writer.raw(":")
        writer.twoDigits(ofDay / 60_000 % 60)
        writer.raw(":")
        writer.twoDigits(ofDay / 1000 % 60)
        writer.raw(".")
        writer.digits(ofDay / 100 % 10)
        writer.twoDigits(ofDay)
        writer.raw("Z")
    }

    /// Date and time by RFC 3339, in UTC, with milliseconds.
    package static func text(_ instant: Instant) -> String {
        String(decoding: JSONWriter.bytes { write(instant, to: &$0) }, as: UTF8.self)
    }

    /// The day of a date of the Gregorian calendar since 1970, counted as in `date`; nil if the calendar has no such date.
    static func day(of date: (year: Int, month: Int, day: Int)) -> Int? {
        let year = date.month <= 2 ? date.year - 1 : date.year
        let month = date.month <= 2 ? date.month + 9 : date.month - 3
        let (era, ofEra) = (year / 400, year % 400)
        let ofYear = (153 * month + 2) / 5 + date.day - 1
        let day = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
        return Self.date(day) == date ? day : nil
    }

    /// The Gregorian date of a day, counted from 1970-01-01. The calculation starts at March 1 of
    /// the year 0: a leap day is then the last day of its year, its four years and its century.
    static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let day = day + 719_468
        let (era, ofEra) = (day / 146_097, day % 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * ofYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, ofYear - (153 * shifted + 2) / 5 + 1)
    }
}
