/// Identifies one timer of a `TimerQueue`. An identifier may outlive its timer: after the timer's group has
/// ended, the identifier is invalid, even if its slot is used again.
public struct TimerID: Hashable, Sendable, BitwiseCopyable {
    /// The index of the timer's fields in its queue.
    @usableFromInline let slot: UInt32
    /// The number of timers that had the slot before.
    @usableFromInline let generation: UInt32

    init(slot: UInt32, generation: UInt32) { (self.slot, self.generation) = (slot, generation) }

    /// Creates an identifier of no timer.
    @inlinable init() { (slot, generation) = (.max, 0) }

    /// An identifier of no timer.
    package static let none = TimerID()
}

/// Timers that end together: the timers of one entry into a state, or the single timer of a `ScopedCountdown` or a
/// `ScopedPendulum`.
///
/// A group is a plain value. The owner of the timers stores the group, and must pass it to `TimerQueue.end(_:)`.
public struct TimerGroup: Sendable {
    /// The first and the last timer that were set. The queue links each timer of the group to the timer that was set next.
    @usableFromInline var first: TimerID
    @usableFromInline var last: TimerID

    /// Creates a group without timers.
    @inlinable public init() { (first, last) = (TimerID(), TimerID()) }

    /// Whether no timer was set in the group. A group whose timers have ended is not empty.
    @inlinable public var isEmpty: Bool { first.slot == .max }
}
