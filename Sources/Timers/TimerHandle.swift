/// What can be read of a timer and done with it by whoever holds its name or the timer itself.
public protocol TimerHandle {
    var agenda: Agenda { get }
    var id: TimerID { get }
}

extension TimerHandle {
    /// What is left until it fires; nothing once it is over.
    public var remaining: Interval { agenda.facts(id)?.remaining ?? .zero }
    /// The full time it was set for; nothing once it is over.
    public var total: Interval { agenda.facts(id)?.total ?? .zero }
    public var isPaused: Bool { agenda.facts(id)?.isPaused ?? false }
    /// Whether it is still to fire.
    public var isLive: Bool { agenda.facts(id) != nil }

    /// Stops its time; it keeps what it has left.
    public func pause() { agenda.pause(id) }
    /// Lets its time go on.
    public func resume() { agenda.resume(id) }
    /// Begins its whole time anew.
    public func restart() { agenda.restart(id) }
}

/// A timer that fires once.
///
/// A plain value that names a timer and keeps nothing alive: in a state, the entry that made the timer
/// owns it, and whoever keeps a copy of an old state keeps a name. Outside flows, see `HeldCountdown`.
public struct Countdown: TimerHandle {
    public let agenda: Agenda
    public let id: TimerID

    /// Adds to what is left and to the total; false, and nothing changes, when that would be more
    /// than `Interval.longest` or the timer is over.
    @discardableResult public func extend(by more: Interval) -> Bool {
        agenda.extend(id, by: more)
    }
}

/// A timer that fires again and again, each time counted from its own last deadline, never from now.
///
/// A plain value that names a timer, like `Countdown`. After a stall it skips what it missed and says
/// how many beats that were.
public struct Pendulum: TimerHandle {
    public let agenda: Agenda
    public let id: TimerID
}
