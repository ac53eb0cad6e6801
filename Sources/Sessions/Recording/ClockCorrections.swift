internal import Support
public import Timers

/// By how much the wall clock differed from the sessions' clock, and since when.
///
/// The sessions' clock never goes back and never jumps. If the wall clock is set, the dates of changes follow it at once, and
/// the instants do not. A correction applies to all instants from its own on, until the next correction.
public final class ClockCorrections {
    /// The instants from which the corrections apply, in increasing order.
    private var starts: [Instant] = []
    private var corrections: [Duration] = []

    public init() {}

    /// The present correction.
    public var current: Duration { corrections.last ?? .zero }

    /// Adds a correction that applies from an instant on, which must not be before that of the last correction.
    public func add(_ correction: Duration, from start: Instant) {
        starts.append(start)
        corrections.append(correction)
    }

    /// Removes all corrections, and adds those of another list.
    func replace(with other: ClockCorrections) {
        (starts, corrections) = (other.starts, other.corrections)
    }

    /// The instant that the wall clock showed at an instant of the sessions' clock, as far as it was known then.
    public func date(of instant: Instant) -> Instant {
        guard !starts.isEmpty else { return instant }
        let count = BinarySearch.prefixCount(starts.count) { starts[$0] <= instant }
        return count == 0 ? instant : instant + corrections[count - 1]
    }
}
