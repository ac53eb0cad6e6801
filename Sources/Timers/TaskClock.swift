/// The real clock on Swift concurrency, for programs without an event loop: apps, and servers on another
/// framework.
///
/// Its timers fire on the actor on which the clock was created. The initial value of a property and the `init` of an actor are on
/// none. A clock that was created there belongs to the actor that uses it or a timer of it first, and follows to another actor that
/// uses it later. Until then, and while it is used outside actors, it cannot wake up by itself: its due timers fire only when
/// `fireDueTimers` is called. A machine calls it before each event, and before it is read. Instants are counted from the clock's
/// creation.
///
/// A clock does not retain its actor, not even while it waits for a timer. An actor usually has its clock, or a machine with one, and
/// when it is released, its timers end.
public final class TaskClock: TimerClock {
    public let timerQueue: TimerQueue
    /// Returns the time since the clock's creation.
    private let elapsed: () -> Duration
    /// Starts a task that calls `alarmFired` at an instant on the user's actor; returns nil if the clock has no user.
    private let startAlarm: (Instant, TaskClock) -> Task<Void, Never>?
    private var alarm: Task<Void, Never>?
    /// The instant of the alarm; nil if no alarm is set.
    private var armedFor: Instant?
    private var isFiring = false
    /// Whether the clock was created on no actor, and belongs to its user.
    private let follows: Bool
    /// The actor on which the clock was created. For a clock that was created on none, the actor that uses it; nil if it is used
    /// outside actors, or not yet.
    private var user: PresentActor?

    /// Creates a clock that measures and sleeps with `clock`. The default clock also runs while the computer
    /// sleeps. The clock's present instant is `first`.
    public init<C: Clock>(
        _ clock: C = ContinuousClock(), startingAt first: Instant = .zero,
        isolation: isolated (any Actor)? = #isolation
    ) where C.Duration == Duration {
        let start = clock.now
        timerQueue = TimerQueue(startingAt: first)
        follows = isolation == nil
        elapsed = { start.duration(to: clock.now) }
        user = isolation.map { PresentActor($0) }
        startAlarm = { instant, taskClock in
            let deadline = start.advanced(by: instant - first)
            return taskClock.wakeUser { try? await clock.sleep(until: deadline, tolerance: nil) }
        }
        // While timers fire, the queue gets the instant zero. The queue never moves its present instant back. So the present
        // instant does not change while several timers fire together.
        timerQueue.attach(
            { [unowned self] in isFiring ? .zero : first + elapsed() },
            alert: { [unowned self] in arm() })
        if follows {
            timerQueue.endAlerts()
            timerQueue.follow { [unowned self] in userChanged() }
        }
    }

    deinit {
        timerQueue.detach()
        alarm?.cancel()
    }

    /// Whether the clock wakes up by itself for the first deadline: its actor exists.
    package var wakesUp: Bool { user?.exists ?? false }

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
        guard !isFiring, user != nil else { return }
        // `.last + .longest` is later than every deadline.
        if let next = timerQueue.next, next < armedFor ?? .last + .longest {
            alarm?.cancel()
            alarm = startAlarm(next, self)
            armedFor = alarm == nil ? nil : next
        }
        timerQueue.alert(before: armedFor)
    }

    // MARK: waking up

    /// Starts a task that calls `alarmFired` on the present user's actor after a sleep, unless another user has taken the clock over
    /// by then; nil if the user is no actor. The task retains neither the clock nor the actor while it sleeps.
    private func wakeUser(after sleep: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        guard let user else { return nil }
        let alarm = unsafe UserAlarm(self, user)
        return Task {
            await sleep()
            guard !Task.isCancelled, let seat = unsafe alarm.user.seat else { return }
            await seat.run {
                guard !Task.isCancelled, let clock = unsafe alarm.clock else { return }
                // A clock that does not follow is used on its own actor only, and this code runs on it.
                guard clock.follows else { return clock.alarmFired() }
                alarm.place.use { clock.alarmFired() }
            }
        }
    }

    /// What the task of an alarm needs.
    @unsafe private final class UserAlarm: @unchecked Sendable {
        weak var clock: TaskClock?
        let user: PresentActor
        /// Where the user uses the queue. The alarm of a clock that follows does nothing if the queue is used elsewhere when it is due.
        @safe let place: QueuePlace

        init(_ clock: TaskClock, _ user: PresentActor) {
            unsafe self.clock = clock
            unsafe self.user = user
            place = clock.timerQueue.place
        }
    }

    // MARK: a clock that was created on no actor

    /// Makes the alarm follow to the actor that uses the clock now.
    private func userChanged() {
        alarm?.cancel()
        (alarm, armedFor) = (nil, nil)
        user = .current
        // Without an actor nothing can wake the clock, so that alerts would be in vain.
        if user == nil { timerQueue.endAlerts() } else { arm() }
    }
}
