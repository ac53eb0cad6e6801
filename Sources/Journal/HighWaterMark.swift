/// The newest row of the journal, and the time until which the daemon is known to have run. Stored
/// beside the database, so that a log that was shortened by a disk failure is detected.
public struct HighWaterMark: Equatable, Sendable {
    /// The position of the newest row.
    public let position: Int
    /// The last time at which the daemon is known to have run, in nanoseconds of the daemon's
    /// clock.
    public let atNs: Int64

    public init(position: Int, atNs: Int64) { (self.position, self.atNs) = (position, atNs) }
}
