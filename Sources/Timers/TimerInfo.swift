/// The properties of one live timer at the present instant.
public struct TimerInfo: Equatable, Sendable {
    /// The number that the caller gave when it set the timer. For a state's timer, it is the raw value of the signal that the
    /// timer sends.
    public let tag: UInt8
    public let traits: TimerTraits
    public let isPaused: Bool
    /// The time until the timer fires; for a paused timer, the remaining time when it was paused. Negative for a countdown in
    /// overtime, and for a stopwatch: the negative of `spent`.
    public let remaining: Duration
    /// The full duration: a countdown's duration with its extensions, or a pendulum's period. Zero for a stopwatch.
    public let total: Duration
    /// The instant at which nothing is left, which is in the past in overtime. For a stopwatch, the instant at which it would
    /// have begun if it had never been paused. Nil if the timer is paused.
    public let end: Instant?
    /// A number that increases each time a timer is set. Of two timers with the same deadline, the timer with the lower number
    /// fires first.
    public let order: UInt64
    /// For a mark, its countdown, and what that has left when the mark fires; nil for any other timer.
    public let mark: TimerMark?

    /// Whether the timer fires periodically rather than once.
    public var isPendulum: Bool { traits.contains(.pendulum) }
    public var kind: TimerKind {
        if isPendulum { return .pendulum }
        if traits.contains(.mark) { return .when }
        if traits.contains(.until) { return .until }
        return traits.contains(.stopwatch) ? .stopwatch : .countdown
    }
    /// The instant at which the timer fires; nil if it is paused, or will not fire.
    public var deadline: Instant? { traits.isSilent || mark?.canFire == false ? nil : end }
    /// The time for which a stopwatch has run; zero for any other timer.
    public var spent: Duration { kind == .stopwatch ? .zero - remaining : .zero }
    /// What a countdown has left when `less` is subtracted: at least a millisecond; with overtime, at least the negative of
    /// `Duration.longest`. A negative time counts as zero.
    package func remaining(shortenedBy less: Duration) -> Duration {
        let least: Duration = traits.contains(.overtime) ? .zero - .longest : .milliseconds(1)
        // A longer time than this leads to `least`, too, and the difference might be too long for a `Duration`.
        return max(remaining - min(max(less, .zero), .longest * 3), least)
    }
    /// Whether the timer is a countdown that has fired, and runs on below zero.
    public var isInOvertime: Bool { traits.contains(.fired) }
    /// Whether a timer of this kind fires at all.
    public var canFire: Bool { kind != .stopwatch }
    /// Whether the timer fires in its present visit of the state, once it runs.
    public var mayStillFire: Bool { canFire && !isInOvertime && mark?.canFire != false }
    /// Whether the timer fires once, and has yet to fire.
    public var isPendingCountdown: Bool {
        kind == .until || kind == .countdown && !isInOvertime
    }
}

/// A mark on a countdown. It fires each time that what the countdown has left goes from above `left` to `left` or less.
public struct TimerMark: Equatable, Sendable {
    /// The tag of the countdown.
    public let countdown: UInt8
    /// What the countdown has left when the mark fires; negative in overtime.
    public let left: Duration
    /// Whether the mark can fire now: the countdown is live, and had more than `left`.
    public let canFire: Bool

    package init(countdown: UInt8, left: Duration, canFire: Bool) {
        (self.countdown, self.left, self.canFire) = (countdown, left, canFire)
    }
}

/// One firing of a timer. A `Firing` does not retain the timer's owner. Otherwise it could keep a scoped timer alive after the
/// program has released the timer.
public struct Firing: Sendable {
    /// The number by which the owner recognizes the timer; see `TimerInfo.tag`.
    public let tag: UInt8
    /// The instant for which the timer was set.
    public let deadline: Instant
    /// The number of periods that a pendulum skipped because it fired late.
    public let missed: Int
    /// The timer's number in the order of setting when it became due. A pendulum has already got a
    /// new number for its next beat when `due` is called.
    public let order: UInt64
    /// The timer's full duration, as `TimerInfo.total` had it.
    package let total: Duration

    package init(
        tag: UInt8, deadline: Instant, missed: Int = 0, order: UInt64, total: Duration
    ) {
        (self.tag, self.deadline, self.missed, self.order) = (tag, deadline, missed, order)
        self.total = total
    }
}

/// An object whose `due` method is called when one of its timers is due. The object must end its timers before it is released.
///
/// `TimerOwner` is a class and not a protocol, because each timer has a reference to its owner. A reference to a protocol type
/// would be twice as large.
open class TimerOwner {
    public init() {}

    /// Called by the queue, on the clock's thread, when a timer of this owner is due. A subclass overrides it.
    open func due(_ firing: Firing) {}

    /// Called by the queue, on the clock's thread, before it fires a timer of this owner. If the result is false, this timer and all
    /// later ones wait until the clock fires due timers again, for which the owner has to see.
    open func mayFire() -> Bool { true }
}
