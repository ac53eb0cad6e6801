package import Timers

/// Converts instants of the sessions' clock to a time that excludes the pauses in which the sessions did not run: the daemon was
/// down, or the process stood still. The length of a visit to a state is measured in this time, because no game runs meanwhile.
/// The owner adds the pauses in their order.
package struct UptimeClock {
    /// The total of all pauses, in nanoseconds.
    private var pauses: Int64 = 0
    /// The newest pause, and the instant at which it ended. Changes from before it may become durable after it.
    private var newest: (end: Instant, length: Int64)?

    package init() {}

    /// Adds the pause before a start of the daemon: the time from the last instant at which the daemon is known to have run.
    /// There was no pause if another node handed the sessions over, or if only the store did not work.
    package mutating func addPause(before start: SessionRecord.Start) {
        if start.hadPause { addPause(from: start.lastAlive, to: start.now) }
    }

    mutating func addPause(from start: Instant, to end: Instant) {
        let length = max(0, (end - start).nanoseconds)
        pauses = pauses.addingSaturated(length)
        newest = (end, length)
    }

    /// The time at an instant, in nanoseconds.
    package func time(of instant: Instant) -> Int64 {
        var pauses = pauses
        if let newest, instant < newest.end { pauses -= newest.length }
        return instant.nanoseconds.subtractingSaturated(pauses)
    }

    /// The instant at which this clock shows a time. The result is correct only if no pause began after it.
    func instant(of time: Int64) -> Instant { Instant(nanoseconds: time.addingSaturated(pauses)) }
}

extension Int64 {
    /// The sum; the nearest number if it overflows. Times and instants can be as large as a journal says.
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
