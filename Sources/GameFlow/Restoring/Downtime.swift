public import Timers

/// How time passed between a machine's snapshot and its restoration.
public struct Downtime: Sendable {
    /// The total time for which time stopped in earlier restarts since the snapshot.
    public let stoodStill: Duration
    /// The instant of the daemon's last restart since the snapshot; nil if there was none.
    public let restartedAt: Instant?
    /// The last instant at which the daemon is known to have run. Nil if it has run since the snapshot; every
    /// timer then continues unchanged.
    public let lastSign: Instant?
    /// The instant from which pendulums continue. Their beats before it have happened, although beats are not
    /// recorded. Nil means now.
    public let since: Instant?
    /// The next deadlines of pendulums, by their signals, if they are known more exactly than from the record.
    public let pendulums: [String: Instant]

    public init(
        lastSign: Instant?, stoodStill: Duration = .zero, restartedAt: Instant? = nil
    ) {
        (self.lastSign, self.stoodStill, self.restartedAt) = (lastSign, stoodStill, restartedAt)
        (since, pendulums) = (nil, [:])
    }

    /// Creates the description of a daemon that has run all the time, for a machine that is to be as it was at
    /// the instant `since`.
    public init(
        since: Instant, pendulums: [String: Instant], stoodStill: Duration, restartedAt: Instant?
    ) {
        (lastSign, self.stoodStill, self.restartedAt) = (nil, stoodStill, restartedAt)
        (self.since, self.pendulums) = (since, pendulums)
    }
}
