internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `history`, which also reads stored history.
extension Dispatcher {
    /// Writes a page of a session's history, or begins to read it from the store.
    func history(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let limits = sessions.limits
        let limit = try self.limit(
            params, default: limits.historyDefault, maximum: limits.historyPage)
        // With `before`, the page contains only changes with a lower `seq`, and the refusals before the change with that `seq`.
        // With `refusal`, the page contains only refusals with a lower number. Without these parameters, the page begins with
        // the newest record.
        let position = Sessions.HistoryPosition(
            before: try params.count(.before), refusal: try params.count(.refusal))
        let session = try session(params, .history, caller)
        let view = caller.rights.view(session.name)
        // Without an archive, the only history is what the session keeps in memory.
        guard let archive else {
            write(sessions.history(of: session, from: position, limit: limit), view, to: &writer)
            return .succeeded(row: sessions.row(of: session))
        }
        return .deferred(
            DeferredResult { [self] done in
                archive.history(of: session, from: position, limit: limit) { result in
                    done(.written(result) { self.write($0, view, to: &$1) })
                }
            })
    }

    /// Writes a page of history, and the parameters of the request for the next page.
    private func write(
        _ page: Sessions.HistoryPage, _ view: SessionView, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("records")
        writer.beginArray()
        for record in page.records { encoder.write(record, view, to: &writer) }
        writer.endArray()
        writer.name("more")
        writer.bool(page.next != nil)
        if let next = page.next {
            writer.name("next")
            writer.object(
                (next.before.map { [Member("before", $0)] } ?? [])
                    + (next.refusal.map { [Member("refusal", $0)] } ?? []))
        }
        writer.endObject()
    }
}
