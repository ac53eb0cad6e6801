/// Real time on Swift concurrency, for programs without an event loop: apps, and servers on another framework.
///
/// Its timers fire on the actor on which the clock was made. Made on none, it has nothing to run on: what is due
/// fires when the clock is asked to settle, as a machine does before each event. Instants count from its making.
public final class TaskClock: TimerClock {
    public let timerQueue = TimerQueue()
    private let elapsed: () -> Duration
    /// Rings the clock at an instant, on its actor; nil where it has none.
    private let ringAt: ((Instant, TaskClock) -> Task<Void, Never>)?
    private var alarm: Task<Void, Never>?
    /// What the alarm is set for; nil where none is.
    private var armedFor: Instant?
    private var isFiring = false

    /// A clock that measures and waits by another one. The default goes on while the computer sleeps.
    public init<C: Clock>(
        _ clock: C = ContinuousClock(), isolation: isolated (any Actor)? = #isolation
    ) where C.Duration == Duration {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        if isolation == nil {
            ringAt = nil
        } else {
            ringAt = { instant, me in
                let deadline = start.advanced(by: instant - .zero)
                return Task { [weak me] in
                    _ = isolation  // captured: the task runs there
                    try? await clock.sleep(until: deadline, tolerance: nil)
                    if !Task.isCancelled { me?.ring() }
                }
            }
        }
        // Inside the work of a timer the time stands still.
        timerQueue.follow(
            { [unowned self] in isFiring ? .zero : .zero + elapsed() },
            alert: ringAt == nil ? nil : { [unowned self] in arm() })
    }

    deinit {
        timerQueue.stopFollowing()
        alarm?.cancel()
    }

    /// Reads the clock and fires every timer that is due by then; inside the work of a timer nothing, for the timers
    /// behind it have their turn after it.
    ///
    /// The clock is read once: what fires at once again and again cannot hold up the rest for ever.
    public func settle() {
        guard !isFiring else { return }
        let now = now
        isFiring = true
        while timerQueue.fireNext(by: now, movingTime: false) != nil {}
        isFiring = false
        arm()
    }

    private func ring() {
        (alarm, armedFor) = (nil, nil)
        settle()
    }

    /// Sets the alarm for the first deadline. One that is set too early is left alone: waking up once for nothing
    /// costs less than another task for each timer that is ended in time.
    private func arm() {
        guard let ringAt, !isFiring else { return }
        if let next = timerQueue.next, next < armedFor ?? .last + .longest {
            alarm?.cancel()
            armedFor = next
            alarm = ringAt(next, self)
        }
        timerQueue.alert(before: armedFor)
    }
}
