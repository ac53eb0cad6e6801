/// How far the journal had got, and until when the daemon is known to have been up. Kept beside the database,
/// so that a log which a disk has shortened is noticed.
public struct HighWaterMark: Equatable, Sendable {
    /// The newest row.
    public let position: Int
    /// The last sign of life, in nanoseconds of the daemon's clock.
    public let atNs: Int64

    public init(position: Int, atNs: Int64) { (self.position, self.atNs) = (position, atNs) }
}
