public import Timers

/// The real clock for timers that may have to stand still, or to go on where an earlier process ended:
/// a timer queue of its own on an event loop, beside the loop's own.
///
/// It begins at the loop's present instant, or later where told so, and from there goes as the loop's
/// clock does. The loop holds on to it.
public final class LoopClock: TimerClock {
    public let timerQueue: TimerQueue
    private unowned let loop: LibeventLoop
    private let (ahead, behind): (Duration, Duration)
    /// Whether its timers wait. Time goes on meanwhile; what has become due by then fires in order
    /// once it is no longer held.
    public var isHeld = false

    /// Begins at the loop's present, but not before `start`: a clock that was set back meanwhile does not
    /// take its instants along.
    public init(on loop: LibeventLoop, notBefore start: Instant = .zero) {
        self.loop = loop
        let now = loop.clockNow
        ahead = max(start - now, .zero)
        behind = Duration.nanoseconds(-ahead.nanoseconds)
        timerQueue = TimerQueue(startingAt: now + ahead)
        loop.guests.append(self)
    }

    /// Reads the clock and fires every timer that is due by then, unless held.
    public func settle() { settle(at: loop.clockNow) }

    func settle(at instant: Instant) {
        let now = instant + ahead
        timerQueue.move(to: now)
        while !isHeld, timerQueue.fireNext(by: now, movingTime: false) != nil {}
    }

    /// When the loop has to look here again, on the loop's clock; nil while there is nothing to wait for.
    var next: Instant? { isHeld ? nil : timerQueue.next.map { $0 + behind } }
}
