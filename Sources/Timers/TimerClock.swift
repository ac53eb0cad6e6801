/// A clock that fires the timers of one queue: the real clock of a `LibeventLoop`, or a `VirtualClock`.
public protocol TimerClock: AnyObject {
    var timerQueue: TimerQueue { get }
    /// Fires the timers that are due at the present instant. A real clock reads the time first. The time of a virtual
    /// clock moves only by an explicit call. The clock of a replay does nothing here.
    func settle()
    /// Whether time moves by itself. If so, `settle` must be called before each event.
    var isReal: Bool { get }
}

/// A clock whose timers can be held.
public protocol HoldableClock: TimerClock {
    /// Whether timers do not fire. Time still advances; timers that become due meanwhile fire in order once this is false
    /// again.
    var isHeld: Bool { get set }
    /// Whether timers may fire at this moment; read each time before one fires, so that it also holds after the process was
    /// suspended. Call `settle` when it becomes true again.
    var mayFire: () -> Bool { get set }
}

extension TimerClock {
    /// The present instant.
    public var now: Instant { timerQueue.now }
    public var isReal: Bool { true }
}
