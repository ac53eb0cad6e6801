internal import Sessions
internal import Timers

/// Measures time without the pauses in which the daemon did not run.
///
/// The time of a stay in a state is measured on this clock: no game ran while the daemon was down, so such a pause does not
/// make a stay longer.
struct UptimeClock {
    /// The total of all pauses so far, in nanoseconds.
    private var pauses: Int64 = 0

    /// Adds the pause before a start of the daemon. There was no pause if another node handed the sessions over.
    mutating func add(_ start: SessionRecord.Start) {
        guard !start.isHandOver else { return }
        let pause = max(0, (start.now - start.lastAlive).nanoseconds)
        let (sum, overflow) = pauses.addingReportingOverflow(pause)
        pauses = overflow ? .max : sum
    }

    /// The time of this clock at an instant, in nanoseconds.
    func time(of instant: Instant) -> Int64 {
        let (time, overflow) = instant.nanoseconds.subtractingReportingOverflow(pauses)
        return overflow ? .min : time
    }

    /// The instant at which this clock shows a time. Correct only for an instant after the newest start, because only the
    /// total of the pauses is stored.
    func instant(of time: Int64) -> Instant {
        let (sum, overflow) = time.addingReportingOverflow(pauses)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
