package import GameFlow
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
    /// The watches of single sessions.
    private var watches: [SessionName: Watch] = [:]
    /// The sessions whose watches are resumed later, because no owner could answer.
    private let sessionsToResume = RetrySet<SessionName>()
    private(set) lazy var watchOfAll = WatchOfAll(self)
    /// Whether the client gets an error with the owner's address if another node owns the session. Otherwise this node passes
    /// the client's requests on.
    var wantsRedirects = false

    /// The watch of one session.
    private struct Watch {
        /// The topics that the client named; nil if it named none.
        let topics: [String]?
        /// The newest `seq` that the client has seen.
        var seq: Int
        /// The `pos` of the newest change that the client has got since it asked for the watch.
        var pos = 0
        /// Whether the watch is being resumed at the next owner. If a route is lost meanwhile, the watch must not be resumed a
        /// second time: the client would get the missed changes twice.
        var isResuming = false
    }

    package init(_ client: any RoutedCaller, _ router: ShardRouter) {
        (self.client, self.router) = (client, router)
    }

    /// What the client watches, with the topics. Without any it watches the changes.
    package var watchList: [(target: WatchTarget, topics: [String])] {
        let usual = Topics.changes.names
        return watches.map { (.session($0.key), $0.value.topics ?? usual) }
            + (watchOfAll.topics.map { [(.all, $0)] } ?? [])
    }

    deinit { for route in routes.values { route.end() } }

    /// Ends all lanes and watches; call it when the client is gone.
    package func end() {
        for route in exchange(&routes, with: [:]).values { route.end() }
        watches = [:]
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
        let shard = router.shard(of: name)
        let deadline = deadline ?? router.endOfHold
        switch router.location(of: shard) {
        case .nowhere:
            if client.isRelayed { return done(.init(elsewhereError(name, nil))) }
            router.wait(for: shard, until: deadline) { [weak self] why in
                guard let self else { return }
                if let why { return done(.init(.storage(why: why, outcome: .undone))) }
                ask(request, about: name, until: deadline, isOfClient: isOfClient, done)
            }
        case .node(let node) where wantsRedirects && isOfClient || client.isRelayed:
            done(.init(elsewhereError(name, node)))
        case .node(let node):
            route(to: .node(node)).ask(request) { [weak self] in
                self?.handle($0, request, name, deadline, isOfClient, done)
            }
        case .here:
            route(to: .shard(shard)).ask(request) { [weak self] in
                self?.handle($0, request, name, deadline, isOfClient, done)
            }
        }
    }

    /// The error `elsewhere`, with the address of the owner. `node` is the owner's identity; nil if there is no owner.
    private func elsewhereError(_ name: SessionName, _ node: String?) -> RequestError {
        let description = node.flatMap { router.shardMap.node($0)?.description }
        return .elsewhere(
            session: name.text, node: description?.name ?? "", address: description?.address ?? "")
    }

    /// Handles the outcome of a request to an owner: sends the request again if that is safe, else calls `done`.
    private func handle(
        _ outcome: OwnerRoute.Outcome, _ request: RoutedRequest, _ name: SessionName,
        _ deadline: Instant, _ isOfClient: Bool, _ done: @escaping Done
    ) {
        switch outcome {
        case .reply(.error(let error)) where error.name == "elsewhere" && !client.isRelayed:
            // The shard has moved since this node last read the owners. The node that was asked has not executed the request.
            router.ownersHaveChanged()
            askAgain(request, name, deadline, isOfClient, done)
        case .reply(let reply):
            if case .result(let bytes) = reply { recordWatch(request, name, bytes) }
            done(reply)
        case .notSent where !client.isRelayed,
            .lost where request.isRepeatable && !client.isRelayed:
            askAgain(request, name, deadline, isOfClient, done)
        case .notSent:
            done(.init(elsewhereError(name, nil)))
        case .lost:
            done(
                .init(
                    .storage(
                        why: "the node that owns the session ended before it answered",
                        outcome: .unknown)))
        }
    }

    /// Sends the request again a moment later, or fails if `deadline` has passed.
    private func askAgain(
        _ request: RoutedRequest, _ name: SessionName, _ deadline: Instant, _ isOfClient: Bool,
        _ done: @escaping Done
    ) {
        guard router.now < deadline else {
            return done(
                .init(
                    .storage(
                        why: "the node that owns the session cannot be reached",
                        outcome: request.isRepeatable ? .unknown : .undone)))
        }
        router.callLater { [weak self] in
            self?.ask(request, about: name, until: deadline, isOfClient: isOfClient, done)
        }
    }

    /// Records a watch or its end after a successful `watch` or `unwatch`.
    private func recordWatch(_ request: RoutedRequest, _ name: SessionName, _ result: [UInt8]) {
        switch request.method {
        case .watch:
            var watch = Watch(topics: request.topics, seq: RelayedPage(result).seq)
            if let old = watches[name], old.isResuming { watch.pos = old.pos }
            watches[name] = watch
            client.beginWatch(.session(name), .nothing)
        case .unwatch:
            watches[name] = nil
            client.endWatch(.session(name))
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
            let requests = router.owners(for: client).map { ($0, request) }
            askOwners(requests, pages(for: request)) { done($0.reply(to: request.method)) }
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
    /// `pages` and the pages of the answers.
    func askOwners(
        _ requests: [(owner: ShardRouter.Owner, request: RoutedRequest)], _ pages: MergedPages,
        hasReplied: @escaping (ShardRouter.Owner, OwnerAnswer) -> Void = { _, _ in },
        done: @escaping (MergedPages) -> Void
    ) {
        var (unanswered, pages) = (requests.count, pages)
        if requests.isEmpty { return done(pages) }
        for (owner, request) in requests {
            route(to: owner).ask(request) { [router] outcome in
                let answer = OwnerAnswer(outcome, of: owner)
                switch answer {
                case .page(let page, let positions): pages.add(page, at: positions)
                case .error(let error):
                    pages.addError(error, shardCount: router.ownedShardCount(of: owner))
                case .lost, .notSent: pages.addMissing(router.ownedShardCount(of: owner))
                }
                hasReplied(owner, answer)
                unanswered -= 1
                if unanswered == 0 { done(pages) }
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
    fileprivate func receive(_ line: [UInt8], from owner: ShardRouter.Owner) {
        guard let notification = EncodedNotification(relayed: line) else { return }
        guard notification.method == "change" || notification.method == "gap" else {
            return watchOfAll.pass(notification, ofShard: nil)
        }
        let change = RelayedPage.changePosition(of: notification)
        notification.pos = change.pos
        guard let name = change.session else {
            return watchOfAll.receiveGap(notification, from: owner)
        }
        let shard = router.shard(of: name)
        // A watch of one session is resumed apart from the watch of all sessions, and its changes say nothing about the changes of
        // other sessions.
        if let watch = watches[name] {
            // Both watches may report a change that was missed.
            if notification.method == "change", !client.isRelayed, watchOfAll.topics != nil,
                change.pos <= watch.pos
            {
                return
            }
            watches[name]?.seq = max(watch.seq, change.seq)
            watches[name]?.pos = change.pos
        } else if !watchOfAll.isNew(change.pos, in: shard, from: owner) {
            return
        }
        watchOfAll.pass(notification, ofShard: notification.method == "change" ? shard : nil)
    }

    // MARK: owners that change

    /// Removes a route over which the owner can no longer be reached, and resumes the watches that used it.
    fileprivate func routeWasLost(_ route: OwnerRoute) {
        if routes[route.owner] === route { routes[route.owner] = nil }
        route.lane = nil
        guard !client.isGone else { return }
        switch route.owner {
        case .shard(let shard): shardMoved(shard)
        case .node(let node):
            let shards = Set(router.shards(of: node))
            resumeWatches { shards.contains($0) }
            watchOfAll.nodeWasLost(node)
        }
    }

    /// Called when a shard has moved. Resumes the client's watches of single sessions of the shard at the next owner. For a
    /// relayed client, the node to which the client is connected resumes the watches.
    fileprivate func shardMoved(_ shard: Int) {
        if client.isRelayed { return client.shardMoved(shard) }
        resumeWatches { $0 == shard }
    }

    /// Resumes the watches of single sessions whose shards are affected.
    private func resumeWatches(_ isAffected: (Int) -> Bool) {
        guard !client.isRelayed else { return }
        for name in watches.keys.sorted(by: { $0.text < $1.text })
        where isAffected(router.shard(of: name)) {
            resumeWatch(name)
        }
    }

    private func resumeWatch(_ name: SessionName) {
        // The last known owner may be the owner that was lost, so the request is sent a moment later.
        router.callLater { [weak self] in
            guard let self, let watch = watches[name], !watch.isResuming, !client.isGone else {
                return
            }
            watches[name]?.isResuming = true
            let request = RoutedRequest.watch(
                .session(name), topics: watch.topics, since: .int(watch.seq))
            ask(request, about: name, isOfClient: false) { [weak self] reply in
                self?.watches[name]?.isResuming = false
                // No owner has answered within the time of `--hold`, or its store does not work.
                if let self, case .error(let error) = reply, error.name == "storage" {
                    sessionsToResume.add(name, on: router.loop) { [unowned self] in
                        resumeWatch($0)
                    }
                }
            }
        }
    }
}

/// A client's lane to one owner, and the client's requests that this owner has not answered yet.
package final class OwnerRoute: LaneClient {
    /// What became of a request.
    package enum Outcome {
        case reply(RoutedReply)
        /// The lane was lost: it is unknown whether the request was executed.
        case lost
        /// The lane was lost before the request was sent.
        case notSent
    }

    private weak var routedClient: RoutedClient?
    package let owner: ShardRouter.Owner
    /// The lane; nil if the owner could not be reached, or the lane was lost.
    var lane: (any Lane)?
    /// The completion handlers of the requests without a reply, in the order in which the requests were sent.
    private var pending = Deque<(Outcome) -> Void>()

    package init(_ routedClient: RoutedClient, _ owner: ShardRouter.Owner) {
        (self.routedClient, self.owner) = (routedClient, owner)
    }

    /// Sends a request, and calls `done` once with its outcome.
    package func ask(_ request: RoutedRequest, _ done: @escaping (Outcome) -> Void) {
        guard let lane else { return done(.notSent) }
        pending.append(done)
        lane.send(request)
    }

    /// Ends the lane, which retains this object until then.
    package func end() { exchange(&lane, with: nil)?.end() }

    // MARK: LaneClient

    // The values after `??` are never used for a request: without a `RoutedClient`, nobody sends one.
    package var source: Source { routedClient?.client.source ?? .program }
    package var rights: Rights { routedClient?.client.rights ?? .nothing }
    package var needsArgumentConversion: Bool {
        routedClient?.client.needsArgumentConversion ?? false
    }
    package var needsLinkedSteps: Bool { routedClient?.client.needsLinkedSteps ?? false }
    package func reportForbidden(_ error: RequestError) -> Bool {
        routedClient?.client.reportForbidden(error) ?? false
    }

    package func receive(_ line: [UInt8]) {
        if EncodedNotification.isNotification(line) {
            routedClient?.receive(line, from: owner)
        } else {
            pending.removeFirst()?(.reply(RoutedReply(line)))
        }
    }

    package func shardMoved(_ shard: Int) { routedClient?.shardMoved(shard) }

    package func ownerServes(_ shard: Int, from pos: Int) {
        routedClient?.watchOfAll.resume(in: shard, at: owner, restoredAt: pos)
    }

    func laneWasLost(unsent: Int) {
        // Retains the `RoutedClient` until each completion handler was called.
        let routedClient = routedClient
        var waiting = exchange(&pending, with: Deque())
        routedClient?.routeWasLost(self)
        while let done = waiting.removeFirst() {
            // `waiting` now has the later requests only. The last `unsent` of all requests were not sent.
            done(waiting.count < unsent ? .notSent : .lost)
        }
    }
}
