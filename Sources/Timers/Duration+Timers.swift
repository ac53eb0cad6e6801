/// Conversions of a duration to whole nanoseconds and milliseconds, and the longest duration of a timer.
extension Duration {
    /// The longest duration of a timer: ten calendar years, 3 653 days.
    public static let longest = Duration.seconds(3653 * 86_400)
    static let longestNanoseconds: Int64 = 3653 * 86_400 * 1_000_000_000

    /// `n` minutes; saturates at `Int.max` seconds.
    @inlinable public static func minutes(_ n: Int) -> Duration {
        let (seconds, overflow) = n.multipliedReportingOverflow(by: 60)
        return .seconds(overflow ? (n < 0 ? .min : .max) : seconds)
    }

    /// The duration in whole nanoseconds, rounded toward zero; saturates at about 292 years.
    ///
    /// `_high` and `_low` are the halves of the count of attoseconds, which has 128 bits. To get nanoseconds, the count is
    /// divided by 10^9, which is 2^9 · 5^9. Nearly all timers have durations from 0 to 2.6 hours. For these durations `_high`
    /// is below 512. So the count without its 9 lowest bits, which is the count divided by 2^9, fits into 64 bits. Then one
    /// 64-bit division by 5^9 = 1 953 125 is enough.
    @inlinable public var nanoseconds: Int64 {
        let (high, low) = (_high, _low)
        if high >= 0, high < 512 { return Int64((UInt64(high) << 55 | low >> 9) / 1_953_125) }
        // 2^63 nanoseconds are 9 223 372 036.9 s. `components` traps if the seconds do not fit into 64 bits.
        if self >= .seconds(9_223_372_037) { return .max }
        if self <= .seconds(-9_223_372_037) { return .min }
        let (seconds, attoseconds) = components
        let (sum, overflow) = (seconds * 1_000_000_000)
            .addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in whole milliseconds, rounded up, so that a remaining time above zero never becomes 0. Saturates like
    /// `nanoseconds`.
    @inlinable public var milliseconds: Int64 {
        let nanoseconds = nanoseconds
        let whole = nanoseconds / 1_000_000
        return nanoseconds > whole * 1_000_000 ? whole + 1 : whole
    }

    /// This duration rounded up to whole milliseconds. If the result is written in milliseconds and read again, the
    /// same duration is read.
    @inlinable public var roundedUp: Duration { .milliseconds(milliseconds) }
}
