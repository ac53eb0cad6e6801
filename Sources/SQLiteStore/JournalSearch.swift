internal import Journal
internal import Sessions

/// A query in progress. It runs in short steps, between which the journal may be written.
///
/// Between two steps it holds no statement and no lock, only the position at which it continues.
/// Rows written in the meantime have higher positions than the query asks for.
struct JournalSearch {
    let query: JournalQuery
    private(set) var page = JournalPage()
    /// The row that was examined last.
    private var place: (seq: Int, position: Int)

    /// How many index entries are examined before the clock is read.
    private static let stride = 8

    init(_ query: JournalQuery) {
        self.query = query
        // No row has this `seq`: the search begins below it.
        place = (query.before, 0)
    }

    /// Continues until the page is complete, or `isTimeUp` returns true. Returns whether the page
    /// is complete.
    mutating func step(in file: JournalFile, isTimeUp: () -> Bool) throws(SQLiteError) -> Bool {
        let entries = try SQLiteStatement(
            """
            SELECT seq, position, kind FROM row INDEXED BY row_by_session
            WHERE session = ? AND (seq, position) < (?, ?) ORDER BY seq DESC, position DESC
            """, in: file.database)
        try entries.bind(1, query.session)
        try entries.bind(2, place.seq)
        try entries.bind(3, place.position)
        let rows = try file.rowByPosition()
        var looked = 0
        while !page.isFull(for: query) {
            if looked % Self.stride == Self.stride - 1, isTimeUp() { return false }
            looked += 1
            guard try entries.step() else {
                page.isComplete = true
                return true
            }
            place = (entries.int(0), entries.int(1))
            guard query.positions ~= place.position,
                let kind = JournalRow.Kind(rawValue: entries.int(2)), query.kinds.contains(kind),
                let row = try file.row(at: place.position, by: rows)
            else { continue }
            page.take(row)
        }
        return true
    }
}
