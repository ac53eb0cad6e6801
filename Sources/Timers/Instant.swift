/// A point on one timeline, in nanoseconds from that timeline's zero. Each clock has its own timeline.
///
/// A `VirtualClock` starts at its zero or at a given instant. The zero of a `TaskClock` is the clock's creation. The zero of
/// the event loop's real clock is the Unix epoch, so that its instants can be shown as dates. Instants of different timelines
/// cannot be compared.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the timeline's zero.
    public var nanoseconds: Int64

    /// Creates the instant `nanoseconds` after the timeline's zero.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = Instant(nanoseconds: 0)
    /// The last instant that a clock can reach, about 250 years after its zero. Even the deadline of the longest timer
    /// that is set at this instant fits into `nanoseconds`; it does not saturate.
    public static let last = Instant(nanoseconds: 7_889_400_000_000_000_000)

    /// Whole milliseconds since zero, rounded down, so that no event is reported later than it happened.
    @inlinable public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    @inlinable public static func < (a: Instant, b: Instant) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// Returns the instant that is later than `a` by the duration `b`; saturates.
    @inlinable public static func + (a: Instant, b: Duration) -> Instant {
        let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
        return Instant(nanoseconds: overflow ? (b.nanoseconds < 0 ? .min : .max) : sum)
    }

    /// Returns the time from `b` to `a`; saturates.
    @inlinable public static func - (a: Instant, b: Instant) -> Duration {
        let (gap, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return Duration.nanoseconds(overflow ? (a.nanoseconds < 0 ? .min : .max) : gap)
    }

    /// The instant that is this number of seconds after the timeline's zero, such as `.seconds(90)`.
    public static func seconds(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }
}
