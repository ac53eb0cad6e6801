internal import Timers

/// Converts instants of the sessions' clock to a time that excludes the standstills of the process: no game runs meanwhile.
struct StayClock {
    /// The total of all standstills, in nanoseconds.
    private var pauses: Int64 = 0
    /// The newest standstill, and the instant at which it ended. Changes from before it may become durable after it.
    private var newest: (end: Instant, length: Int64)?

    mutating func addPause(from start: Instant, to end: Instant) {
        let length = max(0, (end - start).nanoseconds)
        pauses = pauses.addingSaturated(length)
        newest = (end, length)
    }

    /// The time at an instant, in nanoseconds.
    func time(of instant: Instant) -> Int64 {
        var pauses = pauses
        if let newest, instant < newest.end { pauses -= newest.length }
        return instant.nanoseconds.subtractingSaturated(pauses)
    }

    /// The instant at which this clock shows a time. The result is correct only if no standstill began after it.
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
