public import Timers

/// A real clock with its own timer queue, separate from the queue of the event loop that advances it. Its timers can be
/// held (`HoldableClock`) while the loop's own timers fire.
///
/// It starts at the loop's present instant, or at a later given one, such as the last instant of an earlier process.
/// Then it advances with the loop's clock. The loop retains it until `end` is called.
public final class LoopClock: HoldableClock {
    public let timerQueue: TimerQueue
    private unowned let loop: LibeventLoop
    /// The difference to the loop's clock in nanoseconds; negative if this clock is behind. A plain number, because
    /// `Duration` computes with 128 bits.
    private let aheadNs: Int64
    /// Whether the owner calls `fireDueTimers` before it uses the clock. If so, the loop fires the clock's timers at most once
    /// in each turn, and not for each callback: with hundreds of clocks, calls for each callback would take longer than a
    /// request.
    let isOwnerDriven: Bool
    public var isHeld = false
    public var mayFire: () -> Bool = { true }

    /// Creates a clock that starts at the loop's present instant, but not before `start`, so that its instants do
    /// not go back if the wall clock was set back. With an `offset` it is ahead of the loop's clock by that duration, or
    /// behind it if the offset is negative.
    public init(
        on loop: LibeventLoop, notBefore start: Instant = .zero, offset: Duration = .zero,
        isOwnerDriven: Bool = false
    ) {
        self.loop = loop
        self.isOwnerDriven = isOwnerDriven
        let now = loop.clockNow
        let ahead = max(start - now, offset)
        aheadNs = ahead.nanoseconds
        timerQueue = TimerQueue(startingAt: now + ahead)
        loop.attachedClocks.append(self)
    }

    /// Ends the clock: the loop no longer moves it.
    public func end() {
        isHeld = true
        loop.attachedClocks.removeAll { $0 === self }
    }

    /// Reads the clock and fires every timer that is due by then, unless the clock is held or `mayFire` returns false.
    public func fireDueTimers() { fireDueTimers(at: loop.clockNow) }

    func fireDueTimers(at instant: Instant) {
        let now = Instant(nanoseconds: instant.nanoseconds &+ aheadNs)
        timerQueue.move(to: now)
        // Whether timers may fire is asked only if one is due: there can be hundreds of clocks.
        guard !isHeld, timerQueue.isTimerDue else { return }
        timerQueue.fireDue(by: now) { !isHeld && mayFire() }
    }

    /// The next deadline of this clock's timers, as an instant of the loop's clock. Nil if no timer runs, this clock is held,
    /// or `mayFire` returns false.
    var nextDeadline: Instant? {
        guard !isHeld, let next = timerQueue.next, mayFire() else { return nil }
        let (instant, overflow) = next.nanoseconds.subtractingReportingOverflow(aheadNs)
        return Instant(nanoseconds: overflow ? .max : instant)
    }
}
