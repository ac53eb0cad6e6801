/// Names one timer of a `TimerQueue`. Outlives the timer harmlessly: once the timer's group has ended,
/// the name means nothing, also when the place behind it is used again.
public struct TimerID: Hashable, Sendable {
    @usableFromInline let slot: UInt32
    @usableFromInline let generation: UInt32

    init(slot: UInt32, generation: UInt32) { (self.slot, self.generation) = (slot, generation) }

    /// Names no timer.
    @inlinable init() { (slot, generation) = (.max, 0) }
}

/// Timers that end together: those of one entry into a state, or the one timer of a handle.
///
/// A plain value: whoever set the timers keeps it and must hand it back to `TimerQueue.end(_:)`.
public struct TimerGroup: Sendable {
    @usableFromInline var first: TimerID
    @usableFromInline var last: TimerID

    /// A group without timers.
    @inlinable public init() { (first, last) = (TimerID(), TimerID()) }

    /// Whether no timer was set in it. A group whose timers have ended is not empty.
    @inlinable public var isEmpty: Bool { first.slot == .max }
}
