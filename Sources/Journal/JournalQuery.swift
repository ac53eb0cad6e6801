public import Sessions

/// A query for rows of one session, newest first.
public struct JournalQuery: Equatable, Sendable {
    public let session: String
    /// The positions to search. A name may have been used before: `positions` begins with the first
    /// row of the intended session.
    public let positions: ClosedRange<Int>
    /// Only rows with a `seq` below this.
    public let before: Int
    public let kinds: Set<JournalRow.Kind>
    /// The maximum number of rows.
    public let limit: Int
    /// No further row is added to a page whose bodies have this number of bytes or more.
    public let bytes: Int

    public init(
        session: String, positions: ClosedRange<Int>, before: Int = .max,
        kinds: Set<JournalRow.Kind> = [.change], limit: Int, bytes: Int = .max
    ) {
        (self.session, self.positions, self.before) = (session, positions, before)
        (self.kinds, self.limit, self.bytes) = (kinds, limit, bytes)
    }

    /// Executes the query on rows in memory, for stores without a file. `rows` are in the order of
    /// their positions.
    public func page(of rows: some BidirectionalCollection<JournalRow>) -> JournalPage {
        var found = JournalPage()
        for row in rows.reversed()
        where row.session == session && positions ~= row.position && row.seq < before
            && kinds.contains(row.kind)
        {
            found.add(row)
            if found.isFull(for: self) { return found }
        }
        found.isComplete = true
        return found
    }
}

/// Rows that a query found, newest first.
public struct JournalPage: Equatable, Sendable {
    public private(set) var rows: [JournalRow] = []
    /// Whether there are no further rows.
    public package(set) var isComplete = false
    private var bytes = 0

    public init() {}

    package mutating func add(_ row: JournalRow) {
        rows.append(row)
        bytes += row.body.count
    }

    package func isFull(for query: JournalQuery) -> Bool {
        rows.count >= query.limit || bytes >= query.bytes
    }
}
