import GameFlow
import RPC
import Sessions

/// A client's watches of single sessions, each at the owner of the session.
final class SessionWatches {
    private unowned let routes: RoutedClient
    private var watches: [SessionName: Watch] = [:]
    /// The sessions whose watches are resumed later, because no owner could answer.
    private let sessionsToResume = RetrySet<SessionName>()

    private struct Watch {
        /// The topics that the client named; nil if it named none.
        let topics: [String]?
        /// The owner that serves the watch, or has served it last.
        let owner: ShardRouter.Owner
        /// The newest `seq` that the client has seen.
        var seq: Int
        /// The `pos` of the newest change that the client has got since it asked for the watch.
        var pos = 0
        /// Whether the watch is being resumed at the next owner. If a route is lost meanwhile, the watch must not be resumed a
        /// second time: the client would get the missed changes twice.
        var isResuming = false
    }

    init(_ routes: RoutedClient) { self.routes = routes }

    private var client: any RoutedCaller { routes.client }
    private var router: ShardRouter { routes.router }

    /// The watched sessions, with the topics. Without any, the client watches the changes.
    var list: [(target: WatchTarget, topics: [String])] {
        watches.map { (.session($0.key), $0.value.topics ?? Topics.changes.names) }
    }

    var isEmpty: Bool { watches.isEmpty }

    /// Ends all watches without requests to the owners: the client is gone.
    func end() { watches = [:] }

    /// Begins a watch that the owner has accepted, or changes its topics. `seq` is what the client has got with the reply.
    func begin(
        _ name: SessionName, at owner: ShardRouter.Owner, topics: [String]?, seq: Int
    ) {
        var watch = Watch(topics: topics, owner: owner, seq: seq)
        if let old = watches[name], old.isResuming { watch.pos = old.pos }
        watches[name] = watch
    }

    /// Ends a watch, if there is one.
    func end(_ name: SessionName) { watches[name] = nil }

    /// Records the position of a change or a gap of a session. Returns whether the client lacks it; nil if the client does not
    /// watch this session by its name.
    func isNew(_ change: RelayedPage.ChangePosition, of name: SessionName, isGap: Bool) -> Bool? {
        guard let watch = watches[name] else { return nil }
        // The watch of all sessions may report a change that was missed, too.
        if !isGap, !client.isRelayed, routes.watchOfAll.topics != nil, change.pos <= watch.pos {
            return false
        }
        // A session that was opened again counts from 1.
        watches[name]?.seq = change.pos > watch.pos ? change.seq : max(watch.seq, change.seq)
        watches[name]?.pos = change.pos
        return true
    }

    // MARK: owners that change

    /// Resumes the watches in a shard at its next owner.
    func shardMoved(_ shard: Int) { resume { name, _ in router.shard(of: name) == shard } }

    /// Resumes the watches that this owner has served. Which shards it owned is not known any more: a node that did not renew its
    /// leases in time is not their owner in the newest table.
    func ownerWasLost(_ owner: ShardRouter.Owner) { resume { _, watch in watch.owner == owner } }

    private func resume(where hasEnded: (SessionName, Watch) -> Bool) {
        guard !client.isRelayed else { return }
        let ended = watches.filter { hasEnded($0.key, $0.value) }.keys
        for name in ended.sorted(by: { $0.text < $1.text }) { resume(name) }
    }

    private func resume(_ name: SessionName) {
        // The last known owner may be the owner that was lost, so the request is sent a moment later.
        router.callLater { [weak self] in
            guard let self, let watch = watches[name], !watch.isResuming, !client.isGone else {
                return
            }
            watches[name]?.isResuming = true
            let request = RoutedRequest.watch(
                .session(name), topics: watch.topics, since: .int(watch.seq))
            routes.ask(request, about: name, isOfClient: false) { [weak self] reply in
                guard let self else { return }
                watches[name]?.isResuming = false
                // No owner has answered within the time of `--hold`, or its store does not work.
                if case .error(let error) = reply, error.name == "storage" {
                    sessionsToResume.add(name, on: router.loop) { [unowned self] in resume($0) }
                }
            }
        }
    }
}
