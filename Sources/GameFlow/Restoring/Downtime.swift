public import Timers

/// What has become of time between a machine's being written down and its being restored.
public struct Downtime: Sendable {
    /// How long time stood still in earlier restarts since.
    public let stoodStill: Duration
    /// When the daemon began again the last time since; nil if it has not.
    public let restartedAt: Instant?
    /// The last instant at which the daemon is known to have been up; nil if it has been all the time, and
    /// every timer just goes on.
    public let lastSign: Instant?
    /// The instant from which pendulums go on: the beats until then have gone by, though they are not recorded. Nil is
    /// now.
    public let since: Instant?
    /// When pendulums are due next, by their signals, if that is known better than from the record.
    public let pendulums: [String: Instant]

    public init(
        lastSign: Instant?, stoodStill: Duration = .zero, restartedAt: Instant? = nil
    ) {
        (self.lastSign, self.stoodStill, self.restartedAt) = (lastSign, stoodStill, restartedAt)
        (since, pendulums) = (nil, [:])
    }

    /// The daemon has been up all the time, and the machine is to be as it was at an instant.
    public init(
        since: Instant, pendulums: [String: Instant], stoodStill: Duration, restartedAt: Instant?
    ) {
        (lastSign, self.stoodStill, self.restartedAt) = (nil, stoodStill, restartedAt)
        (self.since, self.pendulums) = (since, pendulums)
    }
}
