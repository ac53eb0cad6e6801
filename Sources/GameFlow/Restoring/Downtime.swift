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
    /// Whether pendulums may have beaten since: beats are not written down. They keep their grid then.
    public let hasBeaten: Bool
    /// Whether other machines have gone on: the timers go back among theirs, to where they were.
    public let isUndo: Bool

    public init(
        lastSign: Instant?, stoodStill: Duration = .zero, restartedAt: Instant? = nil
    ) {
        (self.lastSign, self.stoodStill, self.restartedAt) = (lastSign, stoodStill, restartedAt)
        (hasBeaten, isUndo) = (true, false)
    }

    /// What has happened since is taken back.
    public init(undoing hasBeaten: Bool) {
        (lastSign, stoodStill, restartedAt) = (nil, .zero, nil)
        (self.hasBeaten, isUndo) = (hasBeaten, true)
    }

}
