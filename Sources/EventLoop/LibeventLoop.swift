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
/// The loop uses a single libevent timer, set for the queue's earliest deadline, because libevent does not
/// order timers with equal deadlines and the `TimerQueue` does. A turn of the loop waits for events, calls their
/// callbacks, and fires the timers that are due. Everything runs on the thread that calls `run`. Other threads can
/// reach the loop only through a `ThreadInbox`.
@safe public final class LibeventLoop: TimerClock {
    public let timerQueue: TimerQueue
    /// libevent's own loop, a `struct event_base *`. Other parts of libevent use this loop, for example its buffers and its
    /// HTTP. Only this class may run, break or free it.
    public let base: OpaquePointer
    private let clock: SystemClock
    /// The libevent timer that wakes the loop at a deadline.
    private var alarm: OpaquePointer?
    /// The instant for which `alarm` is set; nil while it is not set.
    private var armedFor: Instant?
    private var isStopped = false
    /// Further clocks with their own timer queues. This loop advances them and fires their timers.
    var attachedClocks: [LoopClock] = []
    /// The first deadline of the owner-driven clocks (`LoopClock.isOwnerDriven`); nil if none of their timers can fire. The
    /// owner of such a clock fires the due timers before each use of the clock. The loop fires the timers of these clocks only
    /// once in each turn. There can be hundreds of these clocks, so `firstDeadline` computes this deadline only once in each
    /// turn.
    private var firstOwnerDrivenDeadline: Instant?
    /// Called once in each turn, before the loop waits for events, to do the work that the previous turn collected.
    public var beforeSleep: (() -> Void)?

    /// Creates an idle loop. Wraps `event_base_new_with_config`.
    ///
    /// Three flags are set:
    /// - `PRECISE_TIMER`: a wait of 300 µs takes 300 µs rather than milliseconds.
    /// - `NO_CACHE_TIME`: no timer is late by the duration of the previous callback.
    /// - `NOLOCK`: libevent takes no locks, because only one thread uses the loop.
    public init() throws(EventLoopError) {
        guard let config = unsafe event_config_new() else { throw .unavailable("event_config") }
        defer { unsafe event_config_free(config) }
        let flags = [
            EVENT_BASE_FLAG_PRECISE_TIMER, EVENT_BASE_FLAG_NO_CACHE_TIME, EVENT_BASE_FLAG_NOLOCK,
        ]
        for flag in flags { unsafe event_config_set_flag(config, Int32(flag.rawValue)) }
        // After 10 ms of callbacks of normal priority, libevent looks for events of high priority. The number of callbacks
        // is not limited (-1).
        var interval = timeval(tv_sec: 0, tv_usec: 10_000)
        unsafe event_config_set_max_dispatch_interval(
            config, &interval, -1, EventPriority.normal.rawValue)
        guard let base = unsafe event_base_new_with_config(config) else {
            throw .unavailable("event_base")
        }
        unsafe self.base = unsafe base
        unsafe event_base_priority_init(base, Int32(EventPriority.allCases.count))
        clock = SystemClock()
        timerQueue = TimerQueue(startingAt: clock.now)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe alarm = unsafe event_new(
            base, -1, 0,
            { _, _, context in
                // This callback only ends the wait for events: `run` then fires the timers that are due. If the alarm was
                // a little early, none is due, and `run` sets the alarm again.
                let loop = unsafe Unmanaged<LibeventLoop>.fromOpaque(context!).takeUnretainedValue()
                loop.armedFor = nil
                loop.endTurn()
            }, context)
        guard unsafe alarm != nil else { throw .unavailable("an alarm") }
        unsafe event_priority_set(alarm, EventPriority.high.rawValue)
    }

    deinit {
        if let alarm = unsafe alarm { unsafe event_free(alarm) }
        unsafe event_base_free(base)
    }

    /// Reads the clock and fires every timer that is due by then. A timer of zero duration that is set meanwhile fires
    /// in the next call.
    public func fireDueTimers() { fireDueTimers(includingOwnerDriven: false) }

    /// If `includesOwnerDriven` is true, also fires the due timers of owner-driven clocks. These clocks are skipped before
    /// `firstOwnerDrivenDeadline`.
    private func fireDueTimers(includingOwnerDriven includesOwnerDriven: Bool) {
        let now = clock.now
        timerQueue.move(to: now)
        timerQueue.fireDue(by: now)
        let isDue = includesOwnerDriven && firstOwnerDrivenDeadline.map { $0 <= now } ?? false
        for attached in attachedClocks where isDue || !attached.isOwnerDriven {
            attached.fireDueTimers(at: now)
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
            beforeSleep?()
            let first = firstDeadline()
            if let first, first <= clock.now {
                poll()
            } else {
                if let first { arm(first) }
                guard unsafe event_base_loop(base, EVLOOP_ONCE) == 0 else { return }
            }
            fireDueTimers(includingOwnerDriven: true)
        }
    }

    /// The first deadline of all timers of this loop and of its attached clocks. Nil if no timer can fire. Also sets
    /// `firstOwnerDrivenDeadline`.
    private func firstDeadline() -> Instant? {
        var first = timerQueue.next
        var firstOwnerDriven: Instant?
        for attached in attachedClocks {
            guard let next = attached.nextDeadline else { continue }
            first = min(first ?? next, next)
            if attached.isOwnerDriven { firstOwnerDriven = min(firstOwnerDriven ?? next, next) }
        }
        firstOwnerDrivenDeadline = firstOwnerDriven
        return first
    }

    /// Handles descriptors and signals that are ready, without sleeping. Cancels the alarm first, because the alarm's callback
    /// has high priority and ends the turn. The alarm could run in each turn, for example if timers of zero duration set each
    /// other without end. Then no callback of normal priority would run.
    private func poll() {
        unsafe event_del(alarm)
        armedFor = nil
        unsafe event_base_loop(base, EVLOOP_NONBLOCK)
    }

    /// Ends the present turn after the current callback. Callbacks that are still ready run in the next turn,
    /// after `beforeSleep` was called. Wraps `event_base_loopbreak`.
    public func endTurn() { unsafe event_base_loopbreak(base) }

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
        armedFor = deadline
        let waitNs = max(0, (deadline - clock.now).nanoseconds)
        let micros = (waitNs + 999) / 1000  // rounded up, so that the loop does not wake too early
        var timeout = timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
        unsafe event_add(alarm, &timeout)
    }
}

/// The real clock: the Unix time at its creation, advanced by the monotonic clock. Its instants can be shown as
/// dates, and they never go back, even if the wall clock is set.
struct SystemClock {
    /// The difference from the monotonic clock to the Unix time at the creation, in nanoseconds.
    private let offsetNs: Int64

    init() { offsetNs = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_MONOTONIC) }

    var now: Instant { Instant(nanoseconds: offsetNs + Self.read(CLOCK_MONOTONIC)) }

    /// Returns nanoseconds. Wraps clock_gettime(2), which cannot fail for these two clocks.
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
