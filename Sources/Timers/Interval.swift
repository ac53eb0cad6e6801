/// A length of time, in whole nanoseconds.
///
/// A number inside, so that setting a timer costs an addition. Arithmetic saturates: no length that
/// comes from outside can make it trap.
public struct Interval: Comparable, Hashable, Sendable {
    /// The length in nanoseconds; negative only between two instants in the wrong order.
    public var nanoseconds: Int64

    /// A length of so many nanoseconds.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = Interval(nanoseconds: 0)
    /// The longest length that may be asked for: ten calendar years, 3 653 days.
    public static let longest = Interval.seconds(3653 * 86_400)

    /// `n` minutes; saturates.
    @inlinable public static func minutes(_ n: Int64) -> Interval { scaled(n, 60_000_000_000) }
    /// `n` seconds; saturates.
    @inlinable public static func seconds(_ n: Int64) -> Interval { scaled(n, 1_000_000_000) }
    /// `n` milliseconds; saturates.
    @inlinable public static func milliseconds(_ n: Int64) -> Interval { scaled(n, 1_000_000) }

    @inlinable static func scaled(_ n: Int64, _ unit: Int64) -> Interval {
        let (product, overflow) = n.multipliedReportingOverflow(by: unit)
        return Interval(nanoseconds: overflow ? (n < 0 ? .min : .max) : product)
    }

    /// Whole milliseconds, rounded up: what is still to come never shows as 0.
    @inlinable public var milliseconds: Int64 {
        let whole = nanoseconds / 1_000_000
        return nanoseconds > whole * 1_000_000 ? whole + 1 : whole
    }

    /// The same length in whole milliseconds, rounded up, so that written and read back it is equal.
    @inlinable public var roundedUp: Interval { .milliseconds(milliseconds) }

    @inlinable public static func < (a: Interval, b: Interval) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// The sum; saturates.
    @inlinable public static func + (a: Interval, b: Interval) -> Interval {
        let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
        return Interval(nanoseconds: overflow ? (b.nanoseconds < 0 ? .min : .max) : sum)
    }

    /// The difference; saturates.
    @inlinable public static func - (a: Interval, b: Interval) -> Interval {
        let (rest, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return Interval(nanoseconds: overflow ? (b.nanoseconds < 0 ? .max : .min) : rest)
    }
}
