/// The real clock on Swift concurrency, for programs without an event loop: apps, and servers on another
/// framework.
///
/// Its timers fire on the actor on which the clock was created. A clock that was created outside an actor cannot wake up by
/// itself: its due timers fire only when `fireDueTimers` is called. A machine calls it before each event. Instants are
/// counted from the clock's creation.
public final class TaskClock: TimerClock {
    public let timerQueue: TimerQueue
    /// Returns the time since the clock's creation.
    private let elapsed: () -> Duration
    /// Starts a task that calls `alarmFired` at an instant on the clock's actor; nil if the clock has no actor.
    private let startAlarm: ((Instant, TaskClock) -> Task<Void, Never>)?
    private var alarm: Task<Void, Never>?
    /// The instant of the alarm; nil if no alarm is set.
    private var armedFor: Instant?
    private var isFiring = false

    /// Creates a clock that measures and sleeps with `clock`. The default clock also runs while the computer
    /// sleeps. The clock's present instant is `first`.
    public init<C: Clock>(
        _ clock: C = ContinuousClock(), startingAt first: Instant = .zero,
        isolation: isolated (any Actor)? = #isolation
    ) where C.Duration == Duration {
        let start = clock.now
        timerQueue = TimerQueue(startingAt: first)
        elapsed = { start.duration(to: clock.now) }
        if isolation == nil {
            startAlarm = nil
        } else {
            startAlarm = { instant, taskClock in
                let deadline = start.advanced(by: instant - first)
                return Task { [weak taskClock] in
                    _ = isolation  // A task runs on the isolated actor that it captures.
                    try? await clock.sleep(until: deadline, tolerance: nil)
                    if !Task.isCancelled { taskClock?.alarmFired() }
                }
            }
        }
        // While timers fire, the queue gets the instant zero. The queue never moves its present instant back. So the present
        // instant does not change while several timers fire together.
        timerQueue.attach(
            { [unowned self] in isFiring ? .zero : first + elapsed() },
            alert: startAlarm == nil ? nil : { [unowned self] in arm() })
    }

    deinit {
        timerQueue.detach()
        alarm?.cancel()
    }

    /// Reads the clock and fires every timer that is due by then. A call from a timer's work does nothing,
    /// because the outer call fires the remaining timers.
    public func fireDueTimers() {
        guard !isFiring else { return }
        let now = now
        isFiring = true
        timerQueue.fireDue(by: now)
        isFiring = false
        arm()
    }

    private func alarmFired() {
        (alarm, armedFor) = (nil, nil)
        fireDueTimers()
    }

    /// Sets the alarm for the first deadline. If the alarm is already set for an earlier instant, it stays as it is. One
    /// needless wake-up costs less than a new task for each timer that is ended before its deadline.
    private func arm() {
        guard let startAlarm, !isFiring else { return }
        // `.last + .longest` is later than every deadline.
        if let next = timerQueue.next, next < armedFor ?? .last + .longest {
            alarm?.cancel()
            armedFor = next
            alarm = startAlarm(next, self)
        }
        timerQueue.alert(before: armedFor)
    }
}
