internal import Sessions
internal import Timers

/// Converts instants of one journal to a time that excludes the pauses in which the daemon did not run.
///
/// The length of a visit to a state is measured in this time, because no game runs while the daemon is down. The owner adds
/// the pauses in the order of the journal.
struct UptimeClock {
    /// The total of all pauses so far, in nanoseconds.
    private var pauses: Int64 = 0

    /// Adds the pause before a start of the daemon: the time from the last instant at which the daemon is known to have run.
    /// There was no pause if another node handed the sessions over.
    mutating func addPause(before start: SessionRecord.Start) {
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

    /// The instant at which this clock shows a time. The result is correct only if it is after the newest start, because only
    /// the total of the pauses is stored.
    func instant(of time: Int64) -> Instant {
        let (sum, overflow) = time.addingReportingOverflow(pauses)
        return Instant(nanoseconds: overflow ? .max : sum)
    }
}
