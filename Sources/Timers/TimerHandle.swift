/// What can be read of a timer and done with it by whoever holds its name or the timer itself.
public protocol TimerHandle {
    var timerQueue: TimerQueue { get }
    var id: TimerID { get }
}

extension TimerHandle {
    /// What is left until it fires; nothing once it is over.
    public var remaining: Duration { timerQueue.info(id)?.remaining ?? .zero }
    /// The full time it was set for; nothing once it is over.
    public var total: Duration { timerQueue.info(id)?.total ?? .zero }
    public var isPaused: Bool { timerQueue.info(id)?.isPaused ?? false }
    /// Whether it is still to fire.
    public var isLive: Bool { timerQueue.info(id) != nil }

    /// Stops its time; it keeps what it has left.
    public func pause() { timerQueue.pause(id) }
    /// Lets its time go on.
    public func resume() { timerQueue.resume(id) }
    /// Begins its whole time anew.
    public func restart() { timerQueue.restart(id) }
}

/// A timer that fires once.
///
/// A plain value that names a timer and keeps nothing alive, not even the clock: in a state, the entry that made
/// the timer owns it, and a copy of an old state holds a name. It is trivial: copying a state copies bytes.
/// Outside flows, see `ScopedCountdown`.
public struct Countdown: TimerHandle {
    let reference: QueueReference
    public let id: TimerID

    /// The timer's queue; an empty one once the clock is gone.
    public var timerQueue: TimerQueue { reference.queue ?? TimerQueue() }

    /// Adds to what is left and to the total; false, and nothing changes, when that would be more
    /// than `Duration.longest` or the timer is over.
    @discardableResult public func extend(by more: Duration) -> Bool {
        timerQueue.extend(id, by: more)
    }
}

/// A timer that fires again and again, each time counted from its own last deadline, never from now.
///
/// A plain, trivial value that names a timer, like `Countdown`. After a stall it skips what it missed and says
/// how many beats that were.
public struct Pendulum: TimerHandle {
    let reference: QueueReference
    public let id: TimerID

    /// The timer's queue; an empty one once the clock is gone.
    public var timerQueue: TimerQueue { reference.queue ?? TimerQueue() }
}
