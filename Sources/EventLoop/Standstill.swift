public import Timers

/// A time in which the process did not run: it was stopped by a signal or frozen, or the machine slept.
public struct Standstill: Equatable, Sendable {
    /// The last instant at which the process is known to have run.
    public let lastAlive: Instant
    /// The instant at which it was found to run again.
    public let end: Instant

    public init(lastAlive: Instant, end: Instant) { (self.lastAlive, self.end) = (lastAlive, end) }

    public var duration: Duration { end - lastAlive }
}

/// Finds out that the process did not run for some time.
///
/// A loop reads its clock again and again, and knows by when it will have read the clock the next time. The process did not run
/// if this happens much later, and if the thread did not compute meanwhile.
struct StandstillDetector {
    private let clock: SystemClock
    /// A standstill is reported from this duration on, in nanoseconds; the largest number means never.
    private var limitNs = Int64.max
    /// By when the clock is read again, if the process runs.
    private var dueBy: Instant
    /// The last instant at which the processor time of the thread was read, and this time.
    private var pulse: (at: Instant, threadTime: Duration)

    /// The longest time between two reads of the processor time.
    static let pulseInterval = Duration.seconds(1)

    init(_ clock: SystemClock, at now: Instant) {
        (self.clock, dueBy, pulse) = (clock, now, (now, clock.threadTime))
    }

    /// Standstills are reported from this duration on; nil means never.
    var limit: Duration? {
        get { limitNs == .max ? nil : .nanoseconds(limitNs) }
        set { limitNs = newValue?.nanoseconds ?? .max }
    }

    /// Call this before the loop sleeps. The loop wakes up at `deadline` at the latest.
    mutating func willSleep(until deadline: Instant) { dueBy = deadline }

    /// Call this once in each `pulseInterval`.
    mutating func readThreadTime(at now: Instant) { pulse = (now, clock.threadTime) }

    /// Call this with each instant that is read from the clock; `previous` is the instant that was read before. Returns the
    /// standstill between the two, if there was one.
    @inline(__always) mutating func check(_ now: Instant, after previous: Instant) -> Standstill? {
        let lateNs = now.nanoseconds &- dueBy.nanoseconds
        defer { dueBy = now }
        return lateNs < limitNs ? nil : standstill(now, after: previous)
    }

    /// The standstill, unless the thread has computed for half of the time or longer.
    private mutating func standstill(_ now: Instant, after previous: Instant) -> Standstill? {
        let threadTime = clock.threadTime
        // What the thread computed before `dueBy` does not count. It is not known, but at most the time since the pulse.
        let computed = threadTime - pulse.threadTime - max(.zero, dueBy - pulse.at)
        pulse = (now, threadTime)
        return computed < (now - dueBy) / 2 ? Standstill(lastAlive: previous, end: now) : nil
    }
}
