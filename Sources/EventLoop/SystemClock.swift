internal import Glibc
internal import Timers

/// The real clock: the Unix time at its creation, advanced by the monotonic clock. Its instants can be shown as
/// dates, and they never go back, even if the wall clock is set.
struct SystemClock {
    private let offset: Int64

    init() { offset = Self.read(CLOCK_REALTIME) - Self.read(CLOCK_MONOTONIC) }

    var now: Instant { Instant(nanoseconds: offset + Self.read(CLOCK_MONOTONIC)) }

    /// Wraps clock_gettime(2), which cannot fail for these two clocks.
    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
