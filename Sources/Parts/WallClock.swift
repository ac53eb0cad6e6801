import Glibc
package import Timers

/// The real time of this machine, even if the sessions use the virtual clock. The timestamps of webhooks and of the log have this
/// time.
package enum WallClock {
    /// Seconds of Unix time. Wraps time(2).
    package static var seconds: Int { Int(time(nil)) }

    /// The present instant, on a clock whose zero is 1970-01-01 in UTC. Wraps CLOCK_REALTIME.
    package static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .zero + .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
}
