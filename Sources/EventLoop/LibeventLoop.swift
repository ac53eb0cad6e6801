internal import CEvent
internal import Glibc
public import Timers

/// Why an event loop, or a handle on it, could not be made.
public enum EventLoopError: Error, Equatable {
    /// libevent refused; there is no more to know.
    case unavailable(_ what: String)
}

/// The real clock, and whatever descriptors and signals have to say, on libevent.
///
/// libevent holds one timer, armed for the TimerQueue's earliest deadline: it does not order ties, and the
/// TimerQueue does. All work is called on the thread that runs the loop; the only way in from another
/// thread is a `ThreadInbox`.
@safe public final class LibeventLoop: TimerClock {
    public let timerQueue: TimerQueue
    /// libevent's own loop, a `struct event_base *`, for what else of libevent runs on it: its buffers and its
    /// HTTP. Not to be run, broken or freed by anybody else.
    public let base: OpaquePointer
    private let clock: SystemClock
    private var alarm: OpaquePointer?
    /// What libevent's timer is armed for; nil once it has fired.
    private var armedFor: Instant?
    private var isStopped = false
    /// Clocks with agendas of their own, which this loop moves along.
    var guests: [LoopClock] = []
    /// Called each time before the loop goes to sleep: for work that gathers during a turn.
    public var beforeSleep: (() -> Void)?

    /// An idle loop. Wraps `event_base_new_with_config`.
    ///
    /// The flags: a wait of 300 µs takes 300 µs and not milliseconds (`PRECISE_TIMER`), no timer is
    /// late by the work of the callback before it (`NO_CACHE_TIME`), and there is no thread to lock
    /// against (`NOLOCK`).
    public init() throws(EventLoopError) {
        guard let config = unsafe event_config_new() else { throw .unavailable("event_config") }
        defer { unsafe event_config_free(config) }
        let flags = [
            EVENT_BASE_FLAG_PRECISE_TIMER, EVENT_BASE_FLAG_NO_CACHE_TIME, EVENT_BASE_FLAG_NOLOCK,
        ]
        for flag in flags { unsafe event_config_set_flag(config, Int32(flag.rawValue)) }
        var interval = timeval(tv_sec: 0, tv_usec: 10_000)
        unsafe event_config_set_max_dispatch_interval(
            config, &interval, -1, EventPriority.second.priority)
        guard let base = unsafe event_base_new_with_config(config) else {
            throw .unavailable("event_base")
        }
        unsafe self.base = unsafe base
        unsafe event_base_priority_init(base, Int32(EventPriority.allCases.count))
        clock = SystemClock()
        timerQueue = TimerQueue(startingAt: clock.now)
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe alarm = unsafe event_new(
            base, -1, 0,
            { _, _, me in
                // `run` settles when the turn is over, and that is now. The alarm is spent, also when it came a
                // little early, and is armed again.
                let loop = unsafe Unmanaged<LibeventLoop>.fromOpaque(me!).takeUnretainedValue()
                loop.armedFor = nil
                loop.endTurn()
            }, me)
        unsafe event_priority_set(alarm, EventPriority.first.priority)
    }

    deinit {
        unsafe event_free(alarm)
        unsafe event_base_free(base)
    }

    /// Reads the clock and fires every timer that is due by then.
    ///
    /// The clock is read once: what fires at once again and again cannot hold up the rest for ever.
    public func settle() {
        let now = clock.now
        timerQueue.move(to: now)
        while timerQueue.fireNext(by: now, movingTime: false) != nil {}
        for guest in guests { guest.settle(at: now) }
    }

    /// The clock, read now.
    var clockNow: Instant { clock.now }

    /// How long the present turn has taken so far.
    public var sinceSettled: Duration { clock.now - timerQueue.now }

    /// Runs until `stop`, or until there is nothing left that could ever happen: sleeps until a
    /// descriptor, a signal or a timer has something to say. May be called again after it has returned.
    public func run() {
        isStopped = false
        settle()
        while !isStopped {
            beforeSleep?()
            arm()
            guard unsafe event_base_loop(base, EVLOOP_ONCE) == 0 else { return }
            settle()
        }
    }

    /// Ends the present turn once the work in hand is done: what else is to do waits for the next one, and what
    /// is done before each sleep is done before it. Wraps `event_base_loopbreak`.
    public func endTurn() { unsafe event_base_loopbreak(base) }

    /// Ends `run` once the work in hand is done.
    public func stop() {
        isStopped = true
        endTurn()
    }

    /// Sets libevent's timer for the first deadline. One that is armed too early is left alone: waking
    /// up once for nothing costs less than arming again for each timer that is ended in time.
    private func arm() {
        var first = timerQueue.next
        for case let next? in guests.map(\.next) { first = min(first ?? next, next) }
        guard let next = first else { return }
        if let armed = armedFor, armed <= next { return }
        armedFor = next
        let wait = max(0, (next - clock.now).nanoseconds)
        let micros = (wait + 999) / 1000  // rounded up, lest it wakes the loop for nothing
        var timeout = timeval(tv_sec: Int(micros / 1_000_000), tv_usec: Int(micros % 1_000_000))
        unsafe event_add(alarm, &timeout)
    }
}
