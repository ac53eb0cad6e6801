/// Where a session's newest row stands in the journal, and what its next one is tied to.
public struct JournalPosition: Equatable, Sendable {
    /// Counts the journal's rows from 1; 0 where nothing is written down.
    public let position: Int
    public let checksum: UInt32

    public init(position: Int, checksum: UInt32) {
        (self.position, self.checksum) = (position, checksum)
    }

    /// In front of a session's first row.
    public static let start = JournalPosition(position: 0, checksum: 0)
}
