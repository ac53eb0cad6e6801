import GameFlow
import JSONCoding
import PostgresStore
package import RPC
package import Sessions
import Shards
import Support
package import Timers

/// The lanes of one client to the owners of sessions, and the client's watches at these owners. The client can also be this
/// node itself.
///
/// When a shard moves to another owner, requests that may be repeated are sent to the new owner. The client's watches continue
/// at the new owner, after the last change that the client received.
///
/// A relayed client is connected to another node, and that node passes the client's requests on to this node. This node does
/// not pass these requests on again. If this node does not own the session, the reply is the error `elsewhere`, and the other
/// node then asks the owner.
package final class RoutedClient {
    /// The client, which ends this object before it is released.
    package unowned let client: any RoutedCaller
    package unowned let router: ShardRouter
    /// The client's lanes, by owner, with the requests that have no reply yet.
    private var routes: [ShardRouter.Owner: OwnerRoute] = [:]
    private(set) lazy var watches = SessionWatches(self)
    private(set) lazy var watchOfAll = WatchOfAll(self)
    /// Whether the client gets an error with the owner's address if another node owns the session. Otherwise this node passes
    /// the client's requests on.
    var wantsRedirects = false

    package init(_ client: any RoutedCaller, _ router: ShardRouter) {
        (self.client, self.router) = (client, router)
    }

    /// What the client watches, with the topics. Without any it watches the changes.
    package var watchList: [(target: WatchTarget, topics: [String])] {
        watches.list + (watchOfAll.topics.map { [(.all, $0)] } ?? [])
    }

    deinit { for route in routes.values { route.end() } }

    /// Ends all lanes and watches; call it when the client is gone.
    package func end() {
        for route in exchange(&routes, with: [:]).values { route.end() }
        watches.end()
        watchOfAll.end()
    }

    // MARK: asking

    /// Called once with the reply to a request.
    package typealias Done = (RoutedReply) -> Void

    /// Sends a request about one session to the owner of the session, and calls `done` once with the reply. If the session has
    /// no owner, the request waits for an owner until `deadline`. If `deadline` is nil, the request waits for the time of
    /// `--hold`. If `isOfClient` is false, this node itself makes the request, and is not redirected.
    package func ask(
        _ request: RoutedRequest, about name: SessionName, until deadline: Instant? = nil,
        isOfClient: Bool = true, _ done: @escaping Done
    ) {
        ask(
            SessionRequest(
                request: request, name: name, shard: router.shard(of: name),
                deadline: deadline ?? router.endOfHold, isOfClient: isOfClient, done: done))
    }

    /// A request about one session that has no reply yet.
    private struct SessionRequest {
        let request: RoutedRequest
        let name: SessionName
        let shard: Int
        /// Until when the request waits for an owner.
        let deadline: Instant
        /// Whether the client has made the request, and not this node itself.
        let isOfClient: Bool
        let done: Done

        func fail(why: String, _ outcome: RequestError.StorageOutcome) {
            done(.init(.storage(why: why, outcome: outcome)))
        }
    }

    private func ask(_ asked: SessionRequest) {
        switch router.location(of: asked.shard) {
        case .nowhere:
            if client.isRelayed { return refer(asked, to: nil) }
            router.wait(for: asked.shard, until: asked.deadline) { [weak self] why in
                guard let self else { return }
                if let why { return asked.fail(why: why, .undone) }
                ask(asked)
            }
        case .node(let node) where wantsRedirects && asked.isOfClient || client.isRelayed:
            refer(asked, to: node)
        case .node(let node): ask(asked, at: .node(node))
        case .here: ask(asked, at: .shard(asked.shard))
        }
    }

    private func ask(_ asked: SessionRequest, at owner: ShardRouter.Owner) {
        route(to: owner).ask(asked.request) { [weak self] in
            self?.handle($0, of: asked, from: owner)
        }
    }

    /// Refuses a request with the address of the owner. `node` is the owner's identity; nil if there is no owner.
    private func refer(_ asked: SessionRequest, to node: String?) {
        let owner = node.flatMap { router.shardMap.node($0)?.description }
        asked.done(
            .init(
                .elsewhere(
                    session: asked.name.text, node: owner?.name ?? "",
                    address: owner?.address ?? "")))
    }

    /// Handles the outcome of a request to an owner: sends the request again if that is safe, else ends it.
    private func handle(
        _ outcome: OwnerRoute.Outcome, of asked: SessionRequest, from owner: ShardRouter.Owner
    ) {
        switch outcome {
        case .reply(.error(let error)) where error.name == "elsewhere" && !client.isRelayed:
            // The shard has moved since this node last read the owners. The node that was asked has not executed the request.
            router.ownersHaveChanged()
            askAgain(asked)
        case .reply(let reply):
            if case .result(let bytes) = reply { recordWatch(asked, at: owner, bytes) }
            asked.done(reply)
        case .notSent where !client.isRelayed,
            .lost where asked.request.isRepeatable && !client.isRelayed:
            askAgain(asked)
        case .notSent: refer(asked, to: nil)
        case .lost:
            asked.fail(why: "the node that owns the session ended before it answered", .unknown)
        }
    }

    /// Sends the request again a moment later, or fails if its deadline has passed.
    private func askAgain(_ asked: SessionRequest) {
        guard router.now < asked.deadline else {
            return asked.fail(
                why: "the node that owns the session cannot be reached",
                asked.request.isRepeatable ? .unknown : .undone)
        }
        router.callLater { [weak self] in self?.ask(asked) }
    }

    /// Records a watch or its end after a successful `watch` or `unwatch`.
    private func recordWatch(
        _ asked: SessionRequest, at owner: ShardRouter.Owner, _ result: [UInt8]
    ) {
        switch asked.request.method {
        case .watch:
            watches.begin(
                asked.name, at: owner, topics: asked.request.topics, seq: RelayedPage(result).seq)
            client.beginWatch(.session(asked.name), .nothing)
        case .unwatch:
            watches.end(asked.name)
            client.endWatch(.session(asked.name))
        default: break
        }
    }

    /// Returns the route to an owner, and makes it if necessary. If the owner cannot be reached, the route has no lane, and
    /// every request on it is `notSent`.
    func route(to owner: ShardRouter.Owner) -> OwnerRoute {
        if let route = routes[owner], route.lane != nil { return route }
        let route = OwnerRoute(self, owner)
        routes[owner] = route
        route.lane = router.lane(to: owner, for: route)
        return route
    }

    // MARK: all sessions

    /// Sends a request about all sessions, such as `list` or `watch`, to all owners, and calls `done` once with the merged
    /// reply.
    package func askAll(_ request: RoutedRequest, _ done: @escaping Done) {
        switch request.method {
        case .watch: watchOfAll.begin(request, done)
        case .unwatch: watchOfAll.end(request, done)
        default:
            let owners = router.owners(for: client)
            guard 1...Limits().listPage ~= request.limit else {
                // The owners refuse it.
                let requests = owners.map { ($0, request) }
                return askOwners(requests, pages(for: request)) { done($0.reply(to: .list)) }
            }
            // Few sessions of each shard are in a page of all of them.
            let partLimit = min(request.limit, 8 + 3 * request.limit / max(1, owners.count))
            let requests = owners.map { owner in
                (owner, owner.shard == nil ? request : request.part(limit: partLimit))
            }
            list(requests, request, partLimit, pages(for: request), done)
        }
    }

    /// Asks the owners for parts of a list, until the page is complete: an owner whose part ends before the end of the page is asked
    /// for its next part.
    private func list(
        _ requests: [(owner: ShardRouter.Owner, request: RoutedRequest)], _ list: RoutedRequest,
        _ partLimit: Int, _ pages: MergedPages, _ done: @escaping Done
    ) {
        askOwners(requests, pages) { [weak self] pages in
            let incomplete = pages.ownersInsidePage
            guard let self, !incomplete.isEmpty else { return done(pages.reply(to: .list)) }
            let nextLimit = min(list.limit, 4 * partLimit)
            let requests = incomplete.map { owner, last in
                (owner, list.part(limit: nextLimit, after: last))
            }
            self.list(requests, list, nextLimit, pages, done)
        }
    }

    /// The owners at which a watch of all sessions is begun and ended: also the nodes without shards. Such a node may get shards
    /// later, and reports them then.
    var ownersOfWatches: [ShardRouter.Owner] {
        router.owners(for: client, includesIdleNodes: true)
    }

    /// Empty pages for the replies to a request. `start` has the positions of the shards without a reply.
    func pages(for request: RoutedRequest, from start: ClusterCursor? = nil) -> MergedPages {
        MergedPages(
            limit: request.limit, shardCount: router.shardCount,
            missingShardCount: router.missingShardCount(for: client),
            from: start ?? ClusterCursor(), namesAllShards: client.isRelayed)
    }

    /// Sends each of these owners its request about all sessions. Calls `hasReplied` with each answer, and then `done` once with
    /// `pages` and the pages of the answers, unless the client has gone.
    func askOwners(
        _ requests: [(owner: ShardRouter.Owner, request: RoutedRequest)], _ pages: MergedPages,
        hasReplied: @escaping (ShardRouter.Owner, OwnerAnswer) -> Void = { _, _ in },
        done: @escaping (MergedPages) -> Void
    ) {
        var (unanswered, pages) = (requests.count, pages)
        if requests.isEmpty { return done(pages) }
        for (owner, request) in requests {
            let hasAnswered = { [router] (outcome: OwnerRoute.Outcome) in
                let answer = OwnerAnswer(outcome, of: owner)
                switch answer {
                case .page(let page, let positions): pages.add(page, of: owner, at: positions)
                case .error(let error):
                    pages.addError(
                        error, of: owner, shardCount: router.ownedShardCount(of: owner))
                case .lost, .notSent:
                    pages.addMissing(owner, shardCount: router.ownedShardCount(of: owner))
                }
                hasReplied(owner, answer)
                unanswered -= 1
                if unanswered == 0 { done(pages) }
            }
            router.askInSlices(owner) { [weak self] in
                guard let self, !client.isGone else { return }
                route(to: owner).ask(request, hasAnswered)
            }
        }
    }

    /// Sends a request to each other node that is alive, and calls `done` once with the replies, by the node's identity: when all have
    /// replied, or after `patience`. Nodes that have not replied are left out.
    package func askOtherNodes(
        _ request: RoutedRequest, patience: Duration,
        _ done: @escaping ([(node: String, reply: RoutedReply)]) -> Void
    ) {
        let nodes = router.otherNodes
        var (unanswered, replies) = (nodes.count, [(node: String, reply: RoutedReply)]())
        var (isDone, deadline) = (false, ScopedCountdown?.none)
        let finish = {
            guard !exchange(&isDone, with: true) else { return }
            deadline = nil
            done(replies)
        }
        if nodes.isEmpty { return finish() }
        deadline = ScopedCountdown(on: router.loop, patience, finish)
        for node in nodes {
            route(to: .node(node)).ask(request) { outcome in
                if case .reply(let reply) = outcome { replies.append((node, reply)) }
                unanswered -= 1
                if unanswered == 0 { finish() }
            }
        }
        // Avoids a warning that the variable is never read: it only retains the timer.
        _ = deadline
    }

    // MARK: notifications

    /// Records the position of a notification that an owner has sent, and passes it on. A change that the client has already is
    /// left out.
    func receive(_ line: [UInt8], from owner: ShardRouter.Owner) {
        guard let notification = EncodedNotification(relayed: line) else { return }
        guard notification.method == "change" || notification.method == "gap" else {
            // After the last watch has ended, a notification may still be on its way.
            guard watchOfAll.topics != nil || !watches.isEmpty else { return }
            return watchOfAll.pass(notification, ofShard: nil)
        }
        let change = RelayedPage.changePosition(of: notification)
        notification.pos = change.pos
        guard let name = change.session else {
            return watchOfAll.receiveGap(notification, from: owner)
        }
        let shard = router.shard(of: name)
        let isNew =
            watches.isNew(change, of: name, isGap: notification.method == "gap")
            ?? watchOfAll.isNew(change.pos, in: shard, from: owner)
        guard isNew else { return }
        watchOfAll.hasSeen(change.pos, in: shard, from: owner)
        watchOfAll.pass(notification, ofShard: notification.method == "change" ? shard : nil)
    }

    // MARK: owners that change

    /// Removes a route over which the owner can no longer be reached, and resumes the watches that used it.
    func routeWasLost(_ route: OwnerRoute) {
        if routes[route.owner] === route { routes[route.owner] = nil }
        route.lane = nil
        guard !client.isGone else { return }
        switch route.owner {
        case .shard(let shard): shardMoved(shard)
        case .node(let node):
            watches.ownerWasLost(route.owner)
            watchOfAll.nodeWasLost(node)
        }
    }

    /// Called when a shard has moved. Resumes the client's watches of single sessions of the shard at the next owner. For a
    /// relayed client, the node to which the client is connected resumes the watches.
    func shardMoved(_ shard: Int) {
        client.isRelayed ? client.shardMoved(shard) : watches.shardMoved(shard)
    }
}
