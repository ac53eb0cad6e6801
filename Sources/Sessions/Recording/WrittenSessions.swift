/// A session's newest row as it was written, and the mark of the newest of all its rows.
public struct WrittenSession: Sendable {
    public let record: SessionRecord
    public let mark: JournalPosition
    /// The position of the session's first row.
    public let began: Int

    public init(_ record: SessionRecord, _ mark: JournalPosition, began: Int = 0) {
        (self.record, self.mark, self.began) = (record, mark, began)
    }
}

/// The newest row of each session, those that are over among them, in the order of the rows. A row is read as a record
/// when its turn comes: a million records at once would take a gigabyte. They can be read once: what was read is given
/// back to the system on the way.
public struct WrittenSessions {
    /// Takes a session as it was written, or one whose row cannot be read. Functions, for a value that is one of both
    /// is copied several times on its way.
    public typealias Walk = (
        _ take: (borrowing WrittenSession) -> Void, _ unread: (Sessions.Quarantined) -> Void
    ) -> Void

    /// How many there are.
    public let count: Int
    private let walk: Walk

    /// So many sessions, which `walk` reads and hands out.
    public init(count: Int, _ walk: @escaping Walk) { (self.count, self.walk) = (count, walk) }

    /// No sessions.
    public init() { self.init(count: 0) { _, _ in } }

    /// Reads one session after the other; for the first time only.
    public func forEach(
        _ take: (borrowing WrittenSession) -> Void, unread: (Sessions.Quarantined) -> Void
    ) { walk(take, unread) }

    /// The same sessions, with a change made to each that can be read.
    public func changed(by change: @escaping (borrowing WrittenSession) -> WrittenSession)
        -> WrittenSessions
    {
        let walk = walk
        return WrittenSessions(count: count) { take, unread in
            walk({ take(change($0)) }, unread)
        }
    }
}
