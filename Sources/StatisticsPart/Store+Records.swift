import Journal
import Sessions
import Statistics

extension Store {
    /// Reads the records after `position` up to `last` for statistics and leaderboards, and calls `add` with each. Reads one
    /// page at a time, so that the loop serves clients between two pages. Skips damaged rows and rows that cannot be parsed.
    ///
    /// Calls `done` once, at the end, with the position of the last row that was read. If the store failed, or if `add` reached
    /// a limit, `done` also gets an error.
    func readRecords(
        after position: Int = 0, upTo last: Int,
        _ add: @escaping (SessionRecord) throws(GameStatistics.LimitError) -> Void,
        _ done: @escaping (_ reached: Int, RequestError?) -> Void
    ) {
        var reader = RecordReader()
        var reached = position
        var limitError: GameStatistics.LimitError?
        readPages(after: position, upTo: last) { rows in
            do throws(GameStatistics.LimitError) {
                for row in rows {
                    if let record = reader.record(ifUndamaged: row) { try add(record) }
                }
            } catch { limitError = error }
            reached = max(reached, rows.last?.position ?? 0)
            return limitError == nil  // Whether the next page is read.
        } _: { error in
            // The outcome is `undone`, not `unknown`, because a read changes nothing.
            if let error { return done(reached, .storage(why: error.why, outcome: .undone)) }
            done(reached, limitError.map { .limit(which: $0.which, limit: $0.limit) })
        }
    }
}
