internal import Glibc
package import Timers

/// The clocks of the system that a `LibeventLoop` reads: the real time, and the processor time of a thread.
///
/// The real time is the Unix time at the creation of the object, advanced by CLOCK_BOOTTIME. So its instants can be shown as
/// dates. They never go back, even if the wall clock is set, and they also advance while the machine sleeps.
package final class SystemClock {
    /// The difference from CLOCK_BOOTTIME to the time of this clock, in nanoseconds.
    private var offsetNs: Int64
    /// What `skip` has added to the processor time.
    private var addedThreadTime = Duration.zero
    /// What `setWallClock` has added to the wall clock.
    private var addedWallTime = Duration.zero

    package init() { offsetNs = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_BOOTTIME) }

    package var now: Instant { Instant(nanoseconds: offsetNs + Self.read(CLOCK_BOOTTIME)) }

    /// By how much the wall clock is ahead of this clock; negative if it is behind. Zero unless the wall clock was set since the
    /// creation of the object.
    package var wallClockLead: Duration {
        .nanoseconds(Self.read(CLOCK_REALTIME) - now.nanoseconds + addedWallTime.nanoseconds)
    }

    /// The processor time that the calling thread has used. Unlike `now`, reading it needs a system call.
    package var threadTime: Duration {
        .nanoseconds(Self.read(CLOCK_THREAD_CPUTIME_ID)) + addedThreadTime
    }

    /// Sets the clock forward, as if the process had been stopped for this time. If `computing` is true, as if the thread had
    /// computed for this time. For tests.
    package func skip(_ time: Duration, computing: Bool = false) {
        offsetNs += time.nanoseconds
        if computing { addedThreadTime += time }
    }

    /// Sets the wall clock forward, or back if `time` is negative. For tests.
    package func setWallClock(ahead time: Duration) { addedWallTime += time }

    /// Returns nanoseconds. Wraps clock_gettime(2), which cannot fail for these clocks.
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
