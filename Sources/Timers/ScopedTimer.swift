/// A timer outside flows. It ends when the last reference to it is released.
///
/// The work is called on the clock's thread when the timer is due. The work may release its own timer.
public class ScopedTimer: TimerOwner, TimerHandle {
    public let timerQueue: TimerQueue
    fileprivate var group = TimerGroup()
    private let work: (_ missed: Int) -> Void

    fileprivate init(on clock: any TimerClock, _ work: @escaping (_ missed: Int) -> Void) {
        timerQueue = clock.timerQueue
        self.work = work
        super.init()
    }

    deinit { timerQueue.end(group) }

    /// Sets the timer with `setTimer`. On an actor, this is a use of the clock. Elsewhere it may be the initial value of a property
    /// of an actor that is made on another one, and is no use.
    fileprivate func set(on actor: (any Actor)?, _ setTimer: () -> Void) {
        if actor != nil { timerQueue.adoptContext() }
        timerQueue.whileMaking(setTimer)
    }

    public var id: TimerID { group.first }  // each subclass sets one timer in its init

    public var queueReference: QueueReference {
        timerQueue.adoptContext()
        return timerQueue.reference
    }

    // The timer has its queue, and needs no reference to it.
    @discardableResult public func pause() -> Bool { timerQueue.pause(id) }
    @discardableResult public func resume() -> Bool { timerQueue.resume(id) }
    @discardableResult public func restart() -> Bool { timerQueue.restart(id) }

    public override func due(_ firing: Firing) { work(firing.missed) }
}

/// A timer that fires once. Releasing it ends it.
public final class ScopedCountdown: ScopedTimer {
    /// Calls `work` once, after `total`. A `TaskClock` that has no actor yet belongs to the actor `isolation`, by default the
    /// caller's.
    public init(
        on clock: any TimerClock, _ total: Duration,
        isolation: isolated (any Actor)? = #isolation, _ work: @escaping () -> Void
    ) {
        super.init(on: clock) { _ in work() }
        set(on: isolation) { _ = timerQueue.setCountdown(total, in: &group, for: self) }
    }

    /// Adds `more` to the remaining time; see `Countdown.extend(by:)`.
    @discardableResult public func extend(by more: Duration) -> Bool {
        timerQueue.extend(id, by: more)
    }
}

/// A timer that fires once per period. Releasing it ends it.
public final class ScopedPendulum: ScopedTimer {
    /// Calls `work` every `period`, with the number of periods that were missed since the last call. A `TaskClock` that has no
    /// actor yet belongs to the actor `isolation`, by default the caller's.
    public init(
        on clock: any TimerClock, _ period: Duration,
        isolation: isolated (any Actor)? = #isolation, _ work: @escaping (_ missed: Int) -> Void
    ) {
        super.init(on: clock, work)
        set(on: isolation) { _ = timerQueue.setPendulum(period, in: &group, for: self) }
    }
}
