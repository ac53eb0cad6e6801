/// What a backup holds: it was read whole after it was written.
public struct BackupFacts: Equatable, Sendable {
    public let bytes: Int
    public let rows: Int
    public let sessions: Int
    /// The newest row.
    public let position: Int
    /// How many rows are damaged, in the journal as in its copy.
    public let damaged: Int

    package init(bytes: Int, rows: Int, sessions: Int, position: Int, damaged: Int) {
        (self.bytes, self.rows, self.sessions) = (bytes, rows, sessions)
        (self.position, self.damaged) = (position, damaged)
    }
}
