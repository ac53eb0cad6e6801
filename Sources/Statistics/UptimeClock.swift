internal import Sessions
internal import Timers

/// Measures time without the pauses in which the daemon did not run.
///
/// Two instants of the sessions' clock are compared by their time on this clock: no game ran while the daemon was
/// down, so a pause does not make a stay in a state longer.
struct UptimeClock {
    /// The total of all pauses so far, in nanoseconds.
    private var down: Int64 = 0

    /// Takes a start of the daemon. Unless the sessions were handed over, none ran since the daemon was last alive.
    mutating func take(_ start: SessionRecord.Start) {
        guard !start.isHandOver else { return }
        let pause = max(0, (start.now - start.lastAlive).nanoseconds)
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
