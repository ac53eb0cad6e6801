/// Where timers hang: the real clock of an `LibeventLoop`, or `VirtualClock`.
public protocol TimerClock: AnyObject {
    var timerQueue: TimerQueue { get }
    /// Fires what is due by the present instant. On the real clock that instant is read first;
    /// virtual time moves only when it is told to, so that there is nothing to do.
    func settle()
    /// Whether time moves by itself, so that `settle` has something to do before each event.
    var isReal: Bool { get }
}

extension TimerClock {
    /// The present instant.
    public var now: Instant { timerQueue.now }
    public var isReal: Bool { true }
}
