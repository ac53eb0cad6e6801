internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods `watch` and `unwatch`, by which a caller subscribes to sessions.
extension Dispatcher {
    /// Starts a subscription of the caller to one session or to all, or changes its topics. Writes the present sessions.
    func watch(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let target = try params.target()
        let isNewWatch = !caller.watches(target)
        let topics = try topics(params)
        let start = try startPosition(params)
        try check(params, .watch, caller, target)
        if topics.contains(.inputs) { try checkInputs(target, caller) }
        let result: Sessions.WatchResult
        do {
            result =
                switch start {
                case .present: try sessions.watch(target, topics, by: caller)
                case .number(let number):
                    try sessions.watch(target, since: number, topics, by: caller)
                case .cursor(let pos):
                    try sessions.watch(target, afterPos: pos, topics, by: caller)
                }
        } catch { throw .refused(error) }
        caller.beginWatch(target, result.missed)
        writer.beginObject()
        encoder.members(of: result.page, caller.rights.view, to: &writer)
        if target == .all {
            writer.name("pos")
            writer.int(sessions.pos)
            writer.name("cursor")
            writer.string(Cursor(sessions.pos).text)
        }
        writer.endObject()
        // If the outcome is `.watching`, and an error replaces the reply before the row is durable, the subscription ends. A
        // subscription that existed before this request must continue even then.
        return isNewWatch ? .watching(target, row: result.row) : .succeeded(row: result.row)
    }

    /// The position among the changes at which a subscription starts.
    private enum StartPosition {
        /// The caller gets only changes that follow: no missed changes.
        case present
        /// After the change with this `seq` of the session, or with this `pos` if all sessions are watched.
        case number(Int)
        /// After the change with the `pos` of a cursor, whatever the target is.
        case cursor(Int)
    }

    /// Reads the parameter `since`: a number, or a cursor from a result of `watch` or a `gap` notification.
    private func startPosition(_ params: borrowing Params) throws(CallError) -> StartPosition {
        guard params.has(.since) else { return .present }
        if let text = params.text(.since) {
            guard let cursor = Cursor(text) else {
                throw .invalidParams("since: expected a number or a cursor")
            }
            return .cursor(cursor.pos)
        }
        return try params.count(.since).map { .number($0) } ?? .present
    }

    /// Ends the caller's subscription to one session or to all, and writes an empty object.
    func unwatch(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError)
    {
        let target = try params.target()
        try check(params, .unwatch, caller, target)
        do { try sessions.unwatch(target, by: caller) } catch { throw .refused(error) }
        caller.endWatch(target)
        writer.beginObject()
        writer.endObject()
    }

    /// Throws unless the caller may watch the target. A caller that watches all sessions is notified only of those that
    /// it may observe.
    private func check(
        _ params: borrowing Params, _ method: Method, _ caller: any Caller, _ target: WatchTarget
    ) throws(CallError) {
        guard caller.rights.mayWatch(target) else { throw refusal(params, method, caller) }
    }

    /// Checks a watch of the topic `inputs`: throws unless the target is `*` and the caller may operate every session.
    private func checkInputs(_ target: WatchTarget, _ caller: any Caller) throws(CallError) {
        guard target == .all else {
            throw .invalidParams("topics: inputs can be watched only with the target *")
        }
        guard let missing = caller.rights.missingRight(toWatch: target, .inputs) else { return }
        let error = RequestError.forbidden(
            .method(Method.watch.name), source: caller.source.kind,
            needs: .right(missing))
        // Only reported: no session's history can record the refusal.
        _ = caller.reportForbidden(error)
        throw .refused(error)
    }

    /// The parameter `topics`: the kinds of notifications that the caller wants. If it is not given, the topic is `changes`.
    private func topics(_ params: borrowing Params) throws(CallError) -> Topics {
        guard let names = params.texts(.topics) else { return .changes }
        do throws(TopicsError) { return try Topics(names: names) } catch {
            throw .invalidParams("topics: \(error.why)")
        }
    }
}
