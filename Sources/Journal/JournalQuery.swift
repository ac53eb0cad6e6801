public import Sessions

/// A query for rows of one session, newest first.
public struct JournalQuery: Equatable, Sendable {
    public let session: String
    /// The positions to search. The range begins at the first row of the intended session, because earlier sessions may have
    /// had the same name.
    public let positions: ClosedRange<Int>
    /// The query finds only rows with a lower `seq` than this.
    public let beforeSeq: Int
    /// The kinds of the rows to find.
    public let kinds: Set<JournalRow.Kind>
    /// The maximum number of rows.
    public let limit: Int
    /// A page gets no further row when the bodies of its rows have this number of bytes or more.
    public let byteLimit: Int

    public init(
        session: String, positions: ClosedRange<Int>, beforeSeq: Int = .max,
        kinds: Set<JournalRow.Kind> = [.change], limit: Int, byteLimit: Int = .max
    ) {
        (self.session, self.positions, self.beforeSeq) = (session, positions, beforeSeq)
        (self.kinds, self.limit, self.byteLimit) = (kinds, limit, byteLimit)
    }

    /// Executes the query on rows in memory. `rows` are in the order of their positions.
    public func page(of rows: some BidirectionalCollection<JournalRow>) -> JournalPage {
        var page = JournalPage()
        for row in rows.reversed()
        where row.session == session && positions ~= row.position && row.seq < beforeSeq
            && kinds.contains(row.kind)
        {
            page.add(row)
            if page.isFull(for: self) { return page }
        }
        page.isComplete = true
        return page
    }
}

/// Rows that a query found, newest first.
public struct JournalPage: Equatable, Sendable {
    public private(set) var rows: [JournalRow] = []
    /// Whether the page contains the oldest row that the query finds.
    public package(set) var isComplete = false
    /// The number of bytes in the bodies of the rows.
    private var byteCount = 0

    public init() {}

    package mutating func add(_ row: JournalRow) {
        rows.append(row)
        byteCount += row.body.count
    }

    /// Whether the page must get no further row.
    package func isFull(for query: JournalQuery) -> Bool {
        rows.count >= query.limit || byteCount >= query.byteLimit
    }
}
