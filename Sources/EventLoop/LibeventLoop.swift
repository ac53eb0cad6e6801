internal import CEvent
internal import Glibc
public import Support
public import Timers

/// The error if an event loop, or an object that uses a loop, could not be created.
public enum EventLoopError: DescribedError, Equatable {
    /// libevent or the system could not create `object`, such as `a thread`. No reason is known.
    case unavailable(_ object: String)

    public var why: String {
        switch self {
        case .unavailable(let object): "could not create \(object)"
        }
    }
}

/// The real clock and the event loop for descriptors and signals, on libevent.
///
/// The loop uses a single timer of the kernel, set for the queue's earliest deadline, because libevent does not
/// order timers with equal deadlines and the `TimerQueue` does. Everything runs on the thread that calls `run`. Other
/// threads can reach the loop only through a `ThreadInbox`.
///
/// A turn of the loop waits for events once, calls their callbacks and the deferred tasks, and fires the timers that are due. When
/// a timer becomes due, the turn ends after the present callback, so no timer waits for the callbacks of a whole turn. The
/// remaining callbacks are the first of the next turn.
@safe public final class LibeventLoop: TimerClock {
    public let timerQueue: TimerQueue
    /// libevent's own loop, a `struct event_base *`. Other parts of libevent use this loop, for example its buffers and its
    /// HTTP. Only this class may run, break or free it.
    public let base: OpaquePointer
    let clock: SystemClock
    private var standstillDetector: StandstillDetector
    /// Called when the process did not run for `standstillLimit` or longer, before a timer fires and before a `DescriptorWatcher`
    /// reads what has arrived.
    public var stoodStill: (Standstill) -> Void = { _ in }
    /// The timer of `beginPulse`.
    private var pulse: KernelTimer?
    /// Wakes the loop at a deadline. Released before `base`.
    private var alarm: KernelTimer?
    /// The instant for which `alarm` is set; nil while it is not set.
    private var armedFor: Instant?
    /// The deferred tasks that were called and did not run yet.
    var deferredTasks = DeferredTasks()
    /// Whether `endTurn` was called in the present turn.
    private(set) var hasEndedTurn = false
    private var isStopped = false
    /// The instant at which the turn ends in favour of a timer: the first deadline when the turn began, but not before
    /// `shortestTurn` is over. Nil if no timer was set.
    @exclusivity(unchecked) private var dueAt: Instant?
    /// Even if timers are due all the time, descriptors are served for this time in each turn.
    private static let shortestTurn = Duration.microseconds(100)
    /// Further clocks with their own timer queues. This loop advances them and fires their timers.
    let attached = AttachedClocks()
    /// The first deadline of the owner-driven clocks (`LoopClock.isOwnerDriven`); nil if none of their timers can fire. The
    /// owner of such a clock fires the due timers before each use of the clock. The loop fires the timers of these clocks only
    /// once in each turn. There can be hundreds of these clocks, so `firstDeadline` computes this deadline only once in each
    /// turn.
    private var firstOwnerDrivenDeadline: Instant?
    /// When the newest complete turn began to wait for events. A turn is complete when the callbacks have run for everything that
    /// was ready then; if the turn was ended early, the last of them run in later turns. A descriptor that was watched at that
    /// time, and whose callback runs for the first time since, became ready later.
    public private(set) var completeTurn: Instant
    /// The oldest turn that is not complete: when it began to wait, and how many of its callbacks have not run at least. Nil if all
    /// turns are complete.
    private var incompleteTurn: (start: Instant, callbacks: Int)?
    /// The number of callbacks of descriptors in the present turn.
    @exclusivity(unchecked) private var callbackCount = 0
    /// How long the turns lasted, in nanoseconds: from the first reading of the clock after the wait for events to the last one
    /// before the next wait. The readings are those that the loop makes in any case.
    @exclusivity(unchecked) private(set) package var turnTimes = Histogram.times
    /// The first reading of the clock in this turn, in nanoseconds; the least number before it.
    @exclusivity(unchecked) private var turnStart = Int64.min
    /// A turn that takes this many nanoseconds or more is reported.
    private var slowTurnTime = Int64.max
    private var turnWasSlow: (Duration) -> Void = { _ in }
    /// Called once in each turn, before the loop waits for events, to do the work that the previous turn collected. Returns
    /// whether work is left for the next turn. The loop then only looks for events, and does not wait for them.
    public var beforeSleep: (() -> Bool)?

    /// Creates an idle loop. Wraps `event_base_new_with_config`.
    ///
    /// Two flags are set:
    /// - `NO_CACHE_TIME`: no timer of libevent's own parts is late by the duration of the previous callback.
    /// - `NOLOCK`: libevent takes no locks, because only one thread uses the loop.
    public convenience init() throws(EventLoopError) { try self.init(SystemClock()) }

    /// Creates an idle loop that reads `clock`.
    package init(_ clock: SystemClock) throws(EventLoopError) {
        guard let config = unsafe event_config_new() else { throw .unavailable("event_config") }
        defer { unsafe event_config_free(config) }
        let flags = [EVENT_BASE_FLAG_NO_CACHE_TIME, EVENT_BASE_FLAG_NOLOCK]
        for flag in flags { unsafe event_config_set_flag(config, Int32(flag.rawValue)) }
        guard let base = unsafe event_base_new_with_config(config) else {
            throw .unavailable("event_base")
        }
        unsafe self.base = unsafe base
        self.clock = clock
        let now = clock.now
        standstillDetector = StandstillDetector(clock, at: now)
        timerQueue = TimerQueue(startingAt: now)
        completeTurn = now
        alarm = try unsafe KernelTimer(on: base) { [unowned self] in
            // Only ends the wait for events: `run` then fires the timers that are due. If the alarm was a little early, none is
            // due, and `run` sets the alarm again.
            armedFor = nil
            callbackEnded()
        }
    }

    deinit {
        (alarm, pulse) = (nil, nil)
        attached.clocks = []
        unsafe event_base_free(base)
    }

    // MARK: standstills

    /// From this duration on, a standstill of the process is reported to `stoodStill`; nil means never. Needs `beginPulse`.
    public var standstillLimit: Duration? {
        get { standstillDetector.limit }
        set { standstillDetector.limit = newValue }
    }

    /// Makes the loop take a turn at least once a second from now on, also after the machine has slept. `run` then no longer
    /// returns for lack of events.
    public func beginPulse() throws(EventLoopError) {
        guard pulse == nil else { return }
        let pulse = try unsafe KernelTimer(on: base) { [unowned self] in
            standstillDetector.readThreadTime(at: readClock())
        }
        pulse.repeatEach(seconds: Int(StandstillDetector.pulseInterval.components.seconds))
        guard pulse.isWatched else { throw .unavailable("a timer that beats once a second") }
        self.pulse = pulse
    }

    /// By how much the wall clock is ahead of the loop's clock, because it was set; negative if it is behind.
    public var wallClockLead: Duration { clock.wallClockLead }

    /// Returns the present instant. If the process did not run for a long time before, calls `stoodStill` first.
    @discardableResult func readClock() -> Instant {
        let now = clock.now
        if let standstill = standstillDetector.check(now, after: timerQueue.now) {
            timerQueue.move(to: now)
            stoodStill(standstill)
        }
        if unsafe turnStart == .min { unsafe turnStart = now.nanoseconds }
        return now
    }

    /// Calls `report` after each turn that took `time` or longer.
    package func reportTurns(slowerThan time: Duration, _ report: @escaping (Duration) -> Void) {
        (slowTurnTime, turnWasSlow) = (time.nanoseconds, report)
    }

    // MARK: timers

    /// Reads the clock and fires every timer that is due by then, as `TimerQueue.fireDue` does.
    public func fireDueTimers() { fireDueTimers(includingOwnerDriven: false) }

    /// If `includesOwnerDriven` is true, also fires the due timers of owner-driven clocks. These clocks are skipped before
    /// `firstOwnerDrivenDeadline`.
    private func fireDueTimers(includingOwnerDriven includesOwnerDriven: Bool) {
        let now = readClock()
        timerQueue.move(to: now)
        timerQueue.fireDue(by: now)
        let isDue = includesOwnerDriven && firstOwnerDrivenDeadline.map { $0 <= now } ?? false
        for clock in attached.clocks where isDue || !clock.isOwnerDriven {
            clock.fireDueTimers(at: now)
        }
    }

    /// Reads the clock without moving the queue's present instant.
    var clockNow: Instant { clock.now }

    /// The time since `fireDueTimers` most recently read the clock. A callback that measures its own duration calls
    /// `fireDueTimers` first.
    public var lag: Duration { clock.now - timerQueue.now }

    /// Runs until `stop` is called or no event is left to wait for. Sleeps until a descriptor, a signal or a
    /// timer is ready. May be called again after it has returned.
    public func run() {
        isStopped = false
        firstOwnerDrivenDeadline = .zero  // Not known yet: zero includes all owner-driven clocks.
        fireDueTimers(includingOwnerDriven: true)
        while !isStopped {
            let hasMoreWork = beforeSleep?() ?? false
            let lastReading = timerQueue.now
            let first = firstDeadline()
            let now = readClock()
            if unsafe turnStart != .min {
                let time = unsafe now.nanoseconds &- turnStart
                unsafe turnTimes.add(Int(time))
                if time >= slowTurnTime { turnWasSlow(.nanoseconds(time)) }
                unsafe turnStart = .min
            }
            if isStopped { break }
            // Tasks that are called from now on run in the next turn.
            let tasksEnd = deferredTasks.end
            let isDue = first.map { $0 <= now } ?? false
            unsafe dueAt = first.map { max($0, now + Self.shortestTurn) }
            hasEndedTurn = false
            if hasMoreWork || isDue || !deferredTasks.isEmpty {
                unsafe event_base_loop(base, EVLOOP_ONCE | EVLOOP_NONBLOCK)
            } else {
                let wakeUp = now + StandstillDetector.pulseInterval
                standstillDetector.willSleep(until: first.map { min($0, wakeUp) } ?? wakeUp)
                if let first { arm(first) } else { disarm() }
                guard unsafe event_base_loop(base, EVLOOP_ONCE) == 0 else { return }
            }
            noteTurn(startedAt: lastReading)
            runDeferredTasks(before: tasksEnd)
            fireDueTimers(includingOwnerDriven: true)
        }
    }

    /// The first deadline of all timers of this loop and of its attached clocks. Nil if no timer can fire. Also sets
    /// `firstOwnerDrivenDeadline`.
    private func firstDeadline() -> Instant? {
        var first = timerQueue.next
        var firstOwnerDriven: Instant?
        for clock in attached.clocks {
            guard let next = clock.nextDeadline else { continue }
            first = min(first ?? next, next)
            if clock.isOwnerDriven { firstOwnerDriven = min(firstOwnerDriven ?? next, next) }
        }
        firstOwnerDrivenDeadline = firstOwnerDriven
        return first
    }

    /// Whether the turn must end, because a timer that was set when it began is due. Reads the clock. A callback that lasts long
    /// asks for it now and then, and continues in the next turn.
    public var isTimerWaiting: Bool {
        guard let dueAt = unsafe dueAt else { return false }
        return dueAt <= clock.now
    }

    /// Called after each callback of a descriptor.
    func callbackEnded() {
        unsafe callbackCount += 1
        if isTimerWaiting { endTurn() }
    }

    /// Keeps `completeTurn` up to date after the callbacks of a turn.
    private func noteTurn(startedAt start: Instant) {
        // libevent runs callbacks in the order in which they became ready.
        let waiting = unsafe Int(event_base_get_num_events(base, UInt32(EVENT_BASE_COUNT_ACTIVE)))
        // The callbacks of libevent's own parts are not counted; each turn runs at least one.
        let ran = unsafe max(1, callbackCount)
        unsafe callbackCount = 0
        guard waiting > 0 else {
            completeTurn = start
            incompleteTurn = nil
            return
        }
        guard let (earlierStart, callbacks) = incompleteTurn else {
            incompleteTurn = (start, waiting)
            return
        }
        if ran >= callbacks {
            completeTurn = earlierStart
            incompleteTurn = (start, waiting)
        } else {
            incompleteTurn = (earlierStart, callbacks - ran)
        }
    }

    /// Ends the present turn after the current callback. Callbacks and deferred tasks that are still ready run in the next turn,
    /// after `beforeSleep` was called. Wraps `event_base_loopbreak`.
    public func endTurn() {
        hasEndedTurn = true
        unsafe event_base_loopbreak(base)
    }

    /// Makes `run` return after the current callback.
    public func stop() {
        isStopped = true
        endTurn()
    }

    /// Sets the alarm for the first deadline. If the alarm is already set for an earlier instant, it is not changed. Many
    /// timers are ended before their deadline. One needless wake-up costs less than setting the alarm again for each of these
    /// timers.
    private func arm(_ deadline: Instant) {
        if let armed = armedFor, armed <= deadline { return }
        alarm?.set(nanoseconds: (deadline - clock.now).nanoseconds)
        // Without memory for the alarm, the next turn tries again.
        armedFor = alarm?.isWatched == true ? deadline : nil
    }

    /// Stops waiting for the alarm if no timer is set, so that `run` returns when nothing else is left to wait for. With a pulse
    /// it never returns for this reason, and an alarm without a timer only wakes it once.
    private func disarm() {
        guard pulse == nil else { return }
        armedFor = nil
        alarm?.unwatch()
    }
}
