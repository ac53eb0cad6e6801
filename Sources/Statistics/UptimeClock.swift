internal import Timers

/// Measures time without the pauses in which the daemon did not run.
///
/// Two instants of the sessions' clock are compared by their time on this clock: nobody could play while the daemon was
/// down, so a pause does not make a stay in a state longer.
struct UptimeClock {
    /// The total of all pauses so far, in nanoseconds.
    private var down: Int64 = 0

    /// A start of the daemon: it did not run between `lastAlive` and `now`.
    mutating func start(at now: Instant, lastAlive: Instant) {
        let pause = max(0, (now - lastAlive).nanoseconds)
        let (sum, overflow) = down.addingReportingOverflow(pause)
        down = overflow ? .max : sum
    }

    /// The time of an instant, in nanoseconds.
    func time(of instant: Instant) -> Int64 {
        let (time, overflow) = instant.nanoseconds.subtractingReportingOverflow(down)
        return overflow ? .min : time
    }

    /// The instant, since the last start, at which this clock shows a time.
    func instant(of time: Int64) -> Instant {
        let (sum, overflow) = time.addingReportingOverflow(down)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
