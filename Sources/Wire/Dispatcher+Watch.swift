internal import Access
internal import JSON
internal import Sessions

/// The methods by which a peer follows sessions.
extension Dispatcher {
    func watch(_ params: borrowing Params, _ peer: any Peer, _ writer: inout JSONWriter)
        throws(CallError) -> CallOutcome
    {
        let target = try params.target()
        let isNew = !peer.watches(target)
        let topics = try topics(params)
        let since = try params.count(.since)
        try check(params, .watch, peer, target)
        let watched: Sessions.Watched
        do {
            watched = try sessions.watch(target, since: since, topics, by: peer)
        } catch { throw .refused(error) }
        peer.follow(target, watched.missed)
        writer.beginObject()
        writer.members(of: watched)
        writer.endObject()
        // One that was there already goes on even if this cannot be answered.
        return isNew ? .watching(target) : .succeeded
    }

    func unwatch(_ params: borrowing Params, _ peer: any Peer, _ writer: inout JSONWriter)
        throws(CallError)
    {
        let target = try params.target()
        try check(params, .unwatch, peer, target)
        do { try sessions.unwatch(target, by: peer) } catch { throw .refused(error) }
        peer.unfollow(target)
        sessions.forgetSeen()  // it shows nothing
        writer.beginObject()
        writer.endObject()
    }

    /// Who watches all is told of those that he may observe.
    private func check(
        _ params: borrowing Params, _ method: Method, _ peer: any Peer, _ target: WatchTarget
    ) throws(CallError) {
        guard peer.rights.mayWatch(target) else { throw refusal(params, method, peer) }
    }

    private func topics(_ params: borrowing Params) throws(CallError) -> Topics {
        guard let names = params.texts(.topics) else { return .changes }
        do throws(Topics.Flaw) { return try Topics(names: names) } catch {
            throw .invalidParams("topics: \(error.why)")
        }
    }
}
