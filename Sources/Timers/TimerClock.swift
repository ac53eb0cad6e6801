/// A clock that fires the timers of one queue. For example, `LibeventLoop` is a real clock, and `VirtualClock` moves only by
/// explicit calls. <doc:AClockOfYourOwn> shows how to write one.
public protocol TimerClock: AnyObject {
    /// The timers of this clock, and its present instant.
    var timerQueue: TimerQueue { get }
    /// Fires the timers that are due at the present instant. A real clock reads the time first. The time of a virtual
    /// clock moves only by an explicit call. A `ReplayClock` does nothing here.
    func fireDueTimers()
    /// Whether time moves by itself. If so, `fireDueTimers` must be called before each event.
    var isReal: Bool { get }
    /// Called when the deadline of the timer that fires next becomes another; nil if no timer will fire. The clock then wakes up at
    /// this instant, and calls `fireDueTimers`. Called on the clock's own thread, only after `connect(now:)`. By default does
    /// nothing. It must neither set nor operate timers.
    func deadlineChanged(to deadline: Instant?)
}

/// A clock whose timers can be held.
package protocol HoldableClock: TimerClock {
    /// While `isHeld` is true, time advances but no timer fires. When `isHeld` is false again, the next call of `fireDueTimers`
    /// fires the timers that have become due, in order.
    var isHeld: Bool { get set }
    /// Returns whether timers may fire at this moment. The clock calls `mayFire` before each timer fires, because the process
    /// may have been suspended since the previous call. Call `fireDueTimers` when the result becomes true again.
    var mayFire: () -> Bool { get set }
}

extension TimerClock {
    /// The present instant.
    public var now: Instant { timerQueue.now }
    public var isReal: Bool { true }
    public func deadlineChanged(to deadline: Instant?) {}

    /// Connects the queue to this clock, which is a clock of one's own: `now` returns its present instant, which never goes back,
    /// and from now on `deadlineChanged(to:)` is called. Call it once, before the first timer is set.
    public func connect(now: @escaping () -> Instant) {
        timerQueue.attach(now) { [weak self] deadline in self?.deadlineChanged(to: deadline) }
    }

    /// Sets the wall clock beside this clock, in a zone. It now shows `wallTime`.
    package func setWallClock(_ zone: ClockZone, showing wallTime: Instant) {
        timerQueue.wallClock = CivilClock(zone, lead: wallTime - now)
    }
}
