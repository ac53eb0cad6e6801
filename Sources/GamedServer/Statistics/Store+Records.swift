import Journal
import Sessions
import Statistics

extension Store {
    /// Reads the records after `position` up to `last`, and calls `add` with each. Reads one page at a time, so that the loop
    /// serves clients between two pages.
    /// Skips damaged rows and rows that cannot be parsed. Calls `done` once, at the end, with the position of the last row
    /// that was read, and with an error if the store failed or `add` reached a limit.
    func readRecords(
        after position: Int = 0, upTo last: Int,
        _ add: @escaping (SessionRecord) throws(GameStatistics.LimitError) -> Void,
        _ done: @escaping (_ reached: Int, RequestError?) -> Void
    ) {
        var reader = RecordReader()
        var reached = position
        var limit: GameStatistics.LimitError?
        readPages(after: position, upTo: last, limit: 1000) { rows in
            do throws(GameStatistics.LimitError) {
                for row in rows {
                    if let record = reader.record(ifUndamaged: row) { try add(record) }
                }
            } catch { limit = error }
            reached = max(reached, rows.last?.position ?? 0)
            return limit == nil
        } _: { error in
            // A read changes nothing, so its outcome is known.
            if let error { return done(reached, .storage(why: error.why, outcome: .undone)) }
            done(reached, limit.map { .limit(which: $0.which, limit: $0.limit) })
        }
    }
}
