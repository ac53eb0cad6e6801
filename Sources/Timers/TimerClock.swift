/// A clock that fires the timers of one queue: the real clock of a `LibeventLoop`, or a `VirtualClock`.
public protocol TimerClock: AnyObject {
    var timerQueue: TimerQueue { get }
    /// Fires the timers that are due at the present instant. A real clock reads the time first. The time of a virtual
    /// clock moves only by an explicit call. The clock of a replay does nothing here.
    func settle()
    /// Whether time moves by itself. If so, `settle` must be called before each event.
    var isReal: Bool { get }
}

extension TimerClock {
    /// The present instant.
    public var now: Instant { timerQueue.now }
    public var isReal: Bool { true }
}
