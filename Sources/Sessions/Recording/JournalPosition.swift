/// The position of a session's newest row in the journal, and its checksum, to which the session's next row is
/// chained.
public struct JournalPosition: Equatable, Sendable {
    /// The row's number in the journal, counted from 1; 0 if nothing was written.
    public let position: Int
    public let checksum: UInt32

    public init(position: Int, checksum: UInt32) {
        (self.position, self.checksum) = (position, checksum)
    }

    /// The position before a session's first row.
    public static let start = JournalPosition(position: 0, checksum: 0)
}
