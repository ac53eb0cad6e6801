/// The content of a backup, as found by reading it completely after it was written.
public struct BackupFacts: Equatable, Sendable {
    public let bytes: Int
    public let rows: Int
    public let sessions: Int
    /// The position of the newest row.
    public let position: Int
    /// The number of damaged rows, which is the same in the journal and in the copy.
    public let damaged: Int

    package init(bytes: Int, rows: Int, sessions: Int, position: Int, damaged: Int) {
        (self.bytes, self.rows, self.sessions) = (bytes, rows, sessions)
        (self.position, self.damaged) = (position, damaged)
    }
}
