public import Timers

/// A real clock with its own timer queue, separate from the queue of the event loop that advances it. The timers of this
/// clock can be held (`isHeld`) while the loop's own timers fire. A daemon's sessions run on such a clock in real time.
///
/// The clock differs from the loop's clock by a constant time, which the initializer computes. The loop retains this clock
/// until `end` is called.
public final class LoopClock: HoldableClock {
    public let timerQueue: TimerQueue
    /// The clocks that the loop advances. A weak reference to the loop would make each of its retains slower.
    private let attached: AttachedClocks
    /// The clock and the timers of the loop.
    private let systemClock: SystemClock
    private let loopTimers: TimerQueue
    /// How far this clock is ahead of the loop's clock, in nanoseconds; negative if it is behind. A plain number, because
    /// `Duration` computes with 128 bits, which is slower.
    private let aheadNs: Int64
    /// Whether the code that created the clock calls `fireDueTimers` before each use of the clock. If this is true, the loop
    /// fires the clock's timers at most once in each turn, and not for each callback. With hundreds of clocks, a call for each
    /// callback would take longer than a request.
    let isOwnerDriven: Bool
    /// While this is true, time advances but no timer fires. After a change to false, call `fireDueTimers`.
    public var isHeld = false
    /// Called before each timer fires; if it returns false, no timer fires. With several nodes, it checks that this node may
    /// still act as the owner of the sessions.
    public var mayFire: () -> Bool = { true }

    /// Creates a clock that is ahead of the loop's clock by `offset`, or behind if the offset is negative. If the clock would
    /// then start before `start`, it starts at `start`. With the last instant of an earlier process as `start`, the instants
    /// of the clock do not go back even if the wall clock was set back.
    public init(
        on loop: LibeventLoop, notBefore start: Instant = .zero, offset: Duration = .zero,
        isOwnerDriven: Bool = false
    ) {
        (attached, systemClock, loopTimers) = (loop.attached, loop.clock, loop.timerQueue)
        self.isOwnerDriven = isOwnerDriven
        let now = loop.clockNow
        let ahead = max(start - now, offset)
        aheadNs = ahead.nanoseconds
        timerQueue = TimerQueue(startingAt: now + ahead)
        attached.clocks.append(self)
    }

    /// Ends the clock: the loop no longer advances it, and its timers no longer fire.
    public func end() {
        isHeld = true
        attached.clocks.removeAll { $0 === self }
    }

    /// Reads the loop's clock, advances this clock, and fires every timer that is due. Fires no timer while this clock is held
    /// or `mayFire` returns false.
    public func fireDueTimers() { fireDueTimers(at: systemClock.now) }

    /// Advances this clock to the loop's present instant, which is not read again. Fires no timer.
    public func catchUp() {
        timerQueue.move(to: Instant(nanoseconds: loopTimers.now.nanoseconds &+ aheadNs))
    }

    /// Fires the due timers like `fireDueTimers()`. `loopInstant` is the loop's present instant, which the caller has read.
    func fireDueTimers(at loopInstant: Instant) {
        let now = Instant(nanoseconds: loopInstant.nanoseconds &+ aheadNs)
        timerQueue.move(to: now)
        // `mayFire` is called only if a timer is due: there can be hundreds of clocks, and each call takes time.
        guard !isHeld, timerQueue.isTimerDue else { return }
        timerQueue.fireDue(by: now) { !isHeld && mayFire() }
    }

    /// The next deadline of this clock's timers, as an instant of the loop's clock. Nil if no timer runs, this clock is held,
    /// or `mayFire` returns false.
    var nextDeadline: Instant? {
        guard !isHeld, let next = timerQueue.next, mayFire() else { return nil }
        // The deadline of a very long timer can be too late for the loop's clock if this clock is behind.
        let (nanoseconds, overflow) = next.nanoseconds.subtractingReportingOverflow(aheadNs)
        return Instant(nanoseconds: overflow ? .max : nanoseconds)
    }
}

/// The clocks that a loop advances. The loop empties the list at its end.
final class AttachedClocks {
    var clocks: [LoopClock] = []
}
