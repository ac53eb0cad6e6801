/// A session's newest row that contains its state, and the journal position of the newest of all its rows.
public struct WrittenSession: Sendable {
    public let record: SessionRecord
    public let mark: JournalPosition
    /// The position of the session's first row.
    public let began: Int

    public init(_ record: SessionRecord, _ mark: JournalPosition, began: Int = 0) {
        (self.record, self.mark, self.began) = (record, mark, began)
    }
}

/// The newest row of each session, including closed ones, in the order of the rows. Each row is decoded only
/// when it is reached, because a million decoded records would take a gigabyte. The rows can be read only once,
/// because their memory is released on the way.
public struct WrittenSessions {
    /// Reads all sessions: calls `take` with each session, and `unread` for each row that cannot be read. There
    /// are two functions, because a value that is one of both would be copied several times.
    public typealias Walk = (
        _ take: (borrowing WrittenSession) -> Void, _ unread: (Sessions.Quarantined) -> Void
    ) -> Void

    /// The number of sessions.
    public let count: Int
    private let walk: Walk

    /// Creates a list of `count` sessions, which `walk` reads.
    public init(count: Int, _ walk: @escaping Walk) { (self.count, self.walk) = (count, walk) }

    /// Creates an empty list.
    public init() { self.init(count: 0) { _, _ in } }

    /// Reads the sessions one after the other; must be called only once.
    public func forEach(
        _ take: (borrowing WrittenSession) -> Void, unread: (Sessions.Quarantined) -> Void
    ) { walk(take, unread) }

    /// Returns the same sessions with a change applied to each one that can be read.
    public func changed(by change: @escaping (borrowing WrittenSession) -> WrittenSession)
        -> WrittenSessions
    {
        let walk = walk
        return WrittenSessions(count: count) { take, unread in
            walk({ take(change($0)) }, unread)
        }
    }
}
