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
        let start = try start(params)
        try check(params, .watch, caller, target)
        if topics.contains(.inputs) { try checkInputs(target, caller) }
        let watched: Sessions.WatchResult
        do {
            watched =
                switch start {
                case .now: try sessions.watch(target, topics, by: caller)
                case .number(let since):
                    try sessions.watch(target, since: since, topics, by: caller)
                case .position(let pos):
                    try sessions.watch(target, afterPos: pos, topics, by: caller)
                }
        } catch { throw .refused(error) }
        caller.beginWatch(target, watched.missed)
        writer.beginObject()
        encoder.members(of: watched.page, caller.rights.view, to: &writer)
        if target == .all {
            writer.name("pos")
            writer.int(sessions.pos)
            writer.name("cursor")
            writer.string(Cursor(sessions.pos).text)
        }
        writer.endObject()
        // After `.watching`, the subscription ends if an error replaces the reply. A subscription that existed before this
        // request must continue even then.
        return isNewWatch ? .watching(target, row: watched.row) : .succeeded(row: watched.row)
    }

    /// The position at which a subscription starts.
    private enum Start {
        /// At the present: the caller gets no missed changes.
        case now
        /// After a `seq` of the session, or after a `pos` if all sessions are watched.
        case number(Int)
        /// After the `pos` of a cursor.
        case position(Int)
    }

    /// Reads the parameter `since`: a number, or a cursor from a result of `watch` or a `gap` notification.
    private func start(_ params: borrowing Params) throws(CallError) -> Start {
        guard params.has(.since) else { return .now }
        if let text = params.text(.since) {
            guard let cursor = Cursor(text) else {
                throw .invalidParams("since: expected a number or a cursor")
            }
            return .position(cursor.pos)
        }
        return try params.count(.since).map { .number($0) } ?? .now
    }

    /// Ends a subscription.
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

    /// Throws unless the target is `*` and the caller may operate every session. Inputs belong to no session and show
    /// what people do in the whole room.
    private func checkInputs(_ target: WatchTarget, _ caller: any Caller) throws(CallError) {
        guard target == .all else {
            throw .invalidParams("topics: inputs can be watched only with the target *")
        }
        guard !caller.rights.hasEverywhere(.operate) else { return }
        let error = RequestError.forbidden(
            .method(Method.watch.name), source: caller.source.kind,
            needs: .right("\(Role.operate.name) in every session"))
        _ = caller.reportForbidden(error)
        throw .refused(error)
    }

    /// The parameter `topics`: the kinds of notifications that the caller wants; changes if it is not given.
    private func topics(_ params: borrowing Params) throws(CallError) -> Topics {
        guard let names = params.texts(.topics) else { return .changes }
        do throws(TopicsError) { return try Topics(names: names) } catch {
            throw .invalidParams("topics: \(error.why)")
        }
    }
}
