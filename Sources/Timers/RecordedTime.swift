/// Time that is told when it is: for who runs again what was written down, one timer after the other.
public final class RecordedTime: Timeline {
    public let agenda: Agenda

    /// Time that stands at `start`.
    public init(startingAt start: Instant = .zero) { agenda = Agenda(startingAt: start) }

    public func settle() {}

    /// The timer that comes first: when, what, and whose.
    public struct Next {
        public let deadline: Instant
        public let tag: UInt8
        /// A pendulum's period; nil of a countdown.
        public let period: Interval?
        public let owner: any TimerOwner
    }

    /// The timer that comes first; nil when none is set, or all are paused.
    public var next: Next? { agenda.first }

    /// Moves time forward without firing anything.
    public func move(to instant: Instant) { agenda.move(to: instant) }

    /// Fires the timer that comes first, at an instant that is not before its deadline.
    public func fireNext(at instant: Instant) {
        agenda.move(to: instant)
        _ = agenda.fireNext(by: now, movingTime: false)
    }
}
