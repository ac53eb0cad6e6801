/// The properties and operations of a timer, common to the handles in states and to scoped timers.
///
/// A handle is used on the actor, in the task or on the thread of its clock. Anywhere else, it behaves as the handle of an ended
/// timer: reading gives zero, and operating does nothing and returns false.
public protocol TimerHandle {
    /// Identifies the timer in its queue.
    var id: TimerID { get }
    /// The queue, as far as the caller may use it.
    var queueReference: QueueReference { get }
}

extension TimerHandle {
    /// The time until the timer fires; zero after it has ended, negative in overtime.
    public var remaining: Duration { info?.remaining ?? .zero }
    /// The full duration of the timer; zero after it has ended.
    public var total: Duration { info?.total ?? .zero }
    /// Whether the timer is paused; false after it has ended.
    public var isPaused: Bool { info?.isPaused ?? false }
    /// Whether the timer has not ended: it is running or paused.
    public var isLive: Bool { info != nil }

    /// Pauses the timer; it keeps its remaining time. Returns false if the timer has ended.
    @discardableResult public func pause() -> Bool {
        queueReference.use(otherwise: false) { $0.pause(id) }
    }
    /// Resumes a paused timer with its remaining time. Returns false if the timer has ended.
    @discardableResult public func resume() -> Bool {
        queueReference.use(otherwise: false) { $0.resume(id) }
    }
    /// Starts the timer again with its full duration, also if it has fired and its state has not been left. Returns false if the
    /// timer has ended.
    @discardableResult public func restart() -> Bool {
        queueReference.use(otherwise: false) { $0.restart(id) }
    }

    /// The timer's properties; nil after it has ended.
    var info: TimerInfo? { queueReference.use(otherwise: nil) { $0.info(id) } }
}

/// A timer that fires once.
///
/// A `Countdown` is a trivial value that identifies a timer. It retains nothing, not even the clock. The timer belongs to the
/// entry into a state, and ends when that state is left. A copy of the state that is stored elsewhere then contains the
/// identifier of an ended timer. For a timer outside flows, see `ScopedCountdown`.
///
/// A `Countdown` is `Sendable`, so that a state which contains it can be sent to other actors. Away from the actor, task or thread
/// of its clock it names an ended timer; see `TimerHandle`.
public struct Countdown: TimerHandle, Sendable, BitwiseCopyable {
    public let queueReference: QueueReference
    public let id: TimerID

    /// Adds `more` to the remaining time and to the total. Returns false, without a change, if the total would
    /// exceed `Duration.longest` or the timer has ended.
    @discardableResult public func extend(by more: Duration) -> Bool {
        queueReference.use(otherwise: false) { $0.extend(id, by: more) }
    }
}

/// A timer that fires periodically. Each deadline is counted from the previous deadline and not from the
/// present instant.
///
/// A `Pendulum` is a trivial value that identifies a timer, as a `Countdown` is. After a delay, the timer skips the missed
/// periods and reports their number.
public struct Pendulum: TimerHandle, Sendable, BitwiseCopyable {
    public let queueReference: QueueReference
    public let id: TimerID
}

/// A timer that counts the time for which it has run. It never fires.
///
/// A `Stopwatch` is a trivial value that identifies a timer, as a `Countdown` is.
public struct Stopwatch: TimerHandle, Sendable, BitwiseCopyable {
    public let queueReference: QueueReference
    public let id: TimerID

    /// The time for which the stopwatch has run; zero after it has ended.
    public var spent: Duration { info?.spent ?? .zero }

    /// Sets the time that the stopwatch has spent, at least zero and at most `Duration.longest`.
    public func set(to spent: Duration) {
        queueReference.use(otherwise: ()) { $0.setSpent(id, to: spent) }
    }
}
