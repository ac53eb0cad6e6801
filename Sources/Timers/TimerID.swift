/// Names one timer of an `TimerQueue`. Outlives the timer harmlessly: once the timer's group has ended,
/// the name means nothing, also when the place behind it is used again.
public struct TimerID: Hashable, Sendable {
    let slot: UInt32
    let generation: UInt32
}

/// Timers that end together: those of one entry into a state, or the one timer of a handle.
///
/// A plain value: whoever set the timers keeps it and must hand it back to `TimerQueue.end(_:)`.
public struct TimerGroup: Sendable {
    var first: TimerID?
    var last: TimerID?

    /// A group without timers.
    public init() {}
}
