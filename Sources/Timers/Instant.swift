/// A point on one timeline, in nanoseconds from that timeline's zero.
///
/// The virtual clock's zero is where it starts; the real clock's is the Unix epoch, so that its
/// instants read as dates. Instants of different timelines have nothing to say to each other.
public struct Instant: Comparable, Hashable, Sendable {
    /// Nanoseconds since the timeline's zero.
    public var nanoseconds: Int64

    /// The instant so many nanoseconds after the timeline's zero.
    @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public static let zero = Instant(nanoseconds: 0)
    /// The last instant that a clock may reach, some 250 years after its zero. It leaves room for the
    /// longest timer behind it, so that no deadline saturates.
    public static let last = Instant(nanoseconds: 7_889_400_000_000_000_000)

    /// Whole milliseconds since zero, rounded down: nothing is said to have happened later than it did.
    @inlinable public var milliseconds: Int64 { nanoseconds / 1_000_000 }

    @inlinable public static func < (a: Instant, b: Instant) -> Bool {
        a.nanoseconds < b.nanoseconds
    }

    /// The instant so much later; saturates.
    @inlinable public static func + (a: Instant, b: Duration) -> Instant {
        let (sum, overflow) = a.nanoseconds.addingReportingOverflow(b.nanoseconds)
        return Instant(nanoseconds: overflow ? (b.nanoseconds < 0 ? .min : .max) : sum)
    }

    /// How long from `b` to `a`; saturates.
    @inlinable public static func - (a: Instant, b: Instant) -> Duration {
        let (gap, overflow) = a.nanoseconds.subtractingReportingOverflow(b.nanoseconds)
        return Duration.nanoseconds(overflow ? (a.nanoseconds < 0 ? .min : .max) : gap)
    }
}
