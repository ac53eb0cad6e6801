/// The properties and operations of a timer, common to the handles in states and to scoped timers.
public protocol TimerHandle {
    var timerQueue: TimerQueue { get }
    var id: TimerID { get }
}

extension TimerHandle {
    /// The time until the timer fires; zero after it has ended, negative in overtime.
    public var remaining: Duration { timerQueue.info(id)?.remaining ?? .zero }
    /// The full duration of the timer; zero after it has ended.
    public var total: Duration { timerQueue.info(id)?.total ?? .zero }
    public var isPaused: Bool { timerQueue.info(id)?.isPaused ?? false }
    /// Whether the timer has not ended: it is running or paused.
    public var isLive: Bool { timerQueue.info(id) != nil }

    /// Pauses the timer; it keeps its remaining time.
    public func pause() { timerQueue.pause(id) }
    /// Resumes a paused timer with its remaining time.
    public func resume() { timerQueue.resume(id) }
    /// Starts the timer again with its full duration.
    public func restart() { timerQueue.restart(id) }
}

/// A timer that fires once.
///
/// A `Countdown` is a trivial value that identifies a timer. It retains nothing, not even the clock. The timer belongs to the
/// entry into a state, and ends when that state is left. A copy of the state that is stored elsewhere then contains the
/// identifier of an ended timer. For a timer outside flows, see `ScopedCountdown`.
public struct Countdown: TimerHandle {
    let reference: QueueReference
    public let id: TimerID

    /// The timer's queue; after the queue was released, a new queue without timers.
    public var timerQueue: TimerQueue { reference.queueForUse }

    /// Adds `more` to the remaining time and to the total. Returns false, without a change, if the total would
    /// exceed `Duration.longest` or the timer has ended.
    @discardableResult public func extend(by more: Duration) -> Bool {
        timerQueue.extend(id, by: more)
    }
}

/// A timer that fires periodically. Each deadline is counted from the previous deadline and not from the
/// present instant.
///
/// A `Pendulum` is a trivial value that identifies a timer, as a `Countdown` is. After a delay, the timer skips the missed
/// periods and reports their number.
public struct Pendulum: TimerHandle {
    let reference: QueueReference
    public let id: TimerID

    /// The timer's queue; after the queue was released, a new queue without timers.
    public var timerQueue: TimerQueue { reference.queueForUse }
}

/// A timer that counts the time for which it has run. It never fires.
///
/// A `Stopwatch` is a trivial value that identifies a timer, as a `Countdown` is.
public struct Stopwatch: TimerHandle {
    let reference: QueueReference
    public let id: TimerID

    /// The timer's queue; after the queue was released, a new queue without timers.
    public var timerQueue: TimerQueue { reference.queueForUse }

    /// The time for which the stopwatch has run; zero after it has ended.
    public var spent: Duration { timerQueue.info(id)?.spent ?? .zero }

    /// Sets the time that the stopwatch has spent, at least zero and at most `Duration.longest`.
    public func set(to spent: Duration) {
        timerQueue.setRemaining(id, to: .zero - max(spent, .zero))
    }
}
