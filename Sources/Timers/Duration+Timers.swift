/// What timers need of a length of time: whole nanoseconds and milliseconds, and a longest one.
extension Duration {
    /// The longest time that a timer may be set for: ten calendar years, 3 653 days.
    public static let longest = Duration.seconds(3653 * 86_400)
    static let longestNanoseconds: Int64 = 3653 * 86_400 * 1_000_000_000

    /// `n` minutes; saturates at `Int.max` seconds.
    @inlinable public static func minutes(_ n: Int) -> Duration {
        let (seconds, overflow) = n.multipliedReportingOverflow(by: 60)
        return .seconds(overflow ? (n < 0 ? .min : .max) : seconds)
    }

    /// The length in whole nanoseconds, rounded toward zero; saturates at some 292 years.
    ///
    /// An attosecond count divided by 10^9 = 2^9 · 5^9: for 0 to 2.6 hours, which nearly all timers are,
    /// the count without its 9 lowest bits fits into 64, and one short division is enough.
    @inlinable public var nanoseconds: Int64 {
        let (high, low) = (_high, _low)
        if high >= 0, high < 512 { return Int64((UInt64(high) << 55 | low >> 9) / 1_953_125) }
        // `components` traps where the seconds do not fit into 64 bits.
        if self >= .seconds(9_223_372_037) { return .max }
        if self <= .seconds(-9_223_372_037) { return .min }
        let (seconds, attoseconds) = components
        let (sum, overflow) = (seconds * 1_000_000_000)
            .addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// Whole milliseconds, rounded up: a remaining time is never shown as 0. Saturates with `nanoseconds`.
    @inlinable public var milliseconds: Int64 {
        let nanoseconds = nanoseconds
        let whole = nanoseconds / 1_000_000
        return nanoseconds > whole * 1_000_000 ? whole + 1 : whole
    }

    /// The same length in whole milliseconds, rounded up, so that it is equal after it was written as such and
    /// read.
    @inlinable public var roundedUp: Duration { .milliseconds(milliseconds) }
}
