/// What there is to know of one live timer at the present instant.
public struct TimerInfo: Equatable, Sendable {
    /// What its setter calls it: for a state's timer, the signal that it sends.
    public let tag: UInt8
    /// Whether it beats again and again, rather than fire once.
    public let isPendulum: Bool
    public let isPaused: Bool
    /// What is left until it fires; of a paused one, what it had left.
    public let remaining: Duration
    /// The full time it was set for: a countdown's length with its extensions, a pendulum's period.
    public let total: Duration
    /// When it fires; of a paused one, nil.
    public let deadline: Instant?
    /// Counts up with each setting: of two timers of one instant, the one with the lower number fires first.
    public let order: UInt64
}

/// A timer that was due, and whose work was done. It does not hold the timer's owner: that would keep a
/// handle alive which was let go of.
public struct Firing: Sendable {
    public let tag: UInt8
    /// The instant for which it was set.
    public let deadline: Instant
    /// How many beats a pendulum skipped, because nobody came to see them in time.
    public let missed: Int
}

/// An object that is told when one of its timers is due. It must end its timers before it is released.
///
/// A class and not a protocol: each timer refers to its owner, and a reference to a protocol is twice as large.
open class TimerOwner {
    public init() {}

    /// The timer tagged `tag` is due; `missed` says how many beats of a pendulum were skipped.
    open func due(_ tag: UInt8, missed: Int) {}
}
