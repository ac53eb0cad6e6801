/// A timer outside flows: whoever holds it owns it, and letting go of it ends it.
///
/// The work is called on the timeline's thread, when the timer is due. It may let go of its own timer.
public class HeldTimer: TimerHandle, TimerOwner {
    public let agenda: Agenda
    fileprivate var group = TimerGroup()
    private let work: (_ missed: Int) -> Void

    fileprivate init(on timeline: any Timeline, _ work: @escaping (_ missed: Int) -> Void) {
        agenda = timeline.agenda
        self.work = work
    }

    deinit { agenda.end(group) }

    public var id: TimerID { group.first! }  // both subclasses set it in their init

    public func due(_ tag: UInt8, missed: Int) { work(missed) }
}

/// A timer that fires once, and ends when it is let go of.
public final class HeldCountdown: HeldTimer {
    /// Calls `work` once, `total` from now.
    public init(on timeline: any Timeline, _ total: Interval, _ work: @escaping () -> Void) {
        super.init(on: timeline) { _ in work() }
        _ = agenda.setCountdown(total, in: &group, for: self)
    }

    /// Adds to what is left; see `Countdown.extend(by:)`.
    @discardableResult public func extend(by more: Interval) -> Bool {
        agenda.extend(id, by: more)
    }
}

/// A timer that fires each period, and ends when it is let go of.
public final class HeldPendulum: HeldTimer {
    /// Calls `work` every `period`, with the number of beats that were missed since the last call.
    public init(
        on timeline: any Timeline, _ period: Interval, _ work: @escaping (_ missed: Int) -> Void
    ) {
        super.init(on: timeline, work)
        _ = agenda.setPendulum(period, in: &group, for: self)
    }
}
