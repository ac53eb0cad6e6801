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
    private var watchOfAll = WatchOfAll.none
    /// For a watch of all sessions: for each shard, the `pos` up to which the client has the shard's changes.
    private var seenPositions = ClusterCursor()
    /// The nodes at which the watch of all sessions is being resumed.
    private var ownersResumingWatchOfAll: Set<ShardRouter.Owner> = []
    /// Whether the client gets an error with the owner's address if another node owns the session. Otherwise this node passes
    /// the client's requests on.
    var wantsRedirects = false

    /// What is needed to begin a watch again at another owner.
    private struct Watch {
        /// The topics that the client named; nil if it named none.
        let topics: [String]?
        /// The newest `seq` that the client has seen; unused in a watch of all sessions.
        var seq = 0
        /// Whether the watch is being resumed at the next owner. If a route is lost meanwhile, the watch must not be resumed a
        /// second time: the client would get the missed changes twice.
        var isResuming = false
    }

    /// The watch of all sessions.
    private enum WatchOfAll {
        case none
        /// The watch begins at a cursor, and the gaps of the owners are collected.
        case beginning(Watch, GapCollector)
        case begun(Watch)

        var watch: Watch? {
            switch self {
            case .none: nil
            case .beginning(let watch, _), .begun(let watch): watch
            }
        }
    }

    package init(_ client: any RoutedCaller, _ router: ShardRouter) {
        (self.client, self.router) = (client, router)
    }

    /// What the client watches, with the topics. Without any it watches the changes.
    package var watchList: [(target: WatchTarget, topics: [String])] {
        let usual = Topics.changes.names
        return watches.map { (.session($0.key), $0.value.topics ?? usual) }
            + (watchOfAll.watch.map { [(.all, $0.topics ?? usual)] } ?? [])
    }

    deinit { for route in routes.values { route.end() } }

    /// Ends all lanes and watches; call it when the client is gone.
    package func end() {
        for route in exchange(&routes, with: [:]).values { route.end() }
        (watches, watchOfAll) = ([:], .none)
    }

    // MARK: asking

    /// Called once with the reply to a request.
    package typealias Done = (RoutedReply) -> Void

    /// Sends a request about one session to the owner of the session, and calls `done` once with the reply. If the session has
    /// no owner, the request waits for an owner until `deadline`. If `deadline` is nil, the request waits for the time of
    /// `--hold`.
    package func ask(
        _ request: RoutedRequest, about name: SessionName, until deadline: Instant? = nil,
        _ done: @escaping Done
    ) {
        let shard = router.shard(of: name)
        let deadline = deadline ?? router.endOfHold
        switch router.location(of: shard) {
        case .nowhere:
            if client.isRelayed { return done(.init(elsewhereError(name, nil))) }
            router.wait(for: shard, until: deadline) { [weak self] why in
                guard let self else { return }
                if let why { return done(.init(.storage(why: why, outcome: .undone))) }
                ask(request, about: name, until: deadline, done)
            }
        case .node(let node) where wantsRedirects || client.isRelayed:
            done(.init(elsewhereError(name, node)))
        case .node(let node):
            route(to: .node(node)).ask(request) { [weak self] in
                self?.handle($0, request, name, deadline, done)
            }
        case .here:
            route(to: .shard(shard)).ask(request) { [weak self] in
                self?.handle($0, request, name, deadline, done)
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
        _ deadline: Instant, _ done: @escaping Done
    ) {
        switch outcome {
        case .reply(.error(let error)) where error.name == "elsewhere" && !client.isRelayed:
            // The shard has moved since this node last read the owners. The node that was asked has not executed the request.
            router.ownersHaveChanged()
            askAgain(request, name, deadline, done)
        case .reply(let reply):
            if case .result(let bytes) = reply { recordWatch(request, name, bytes) }
            done(reply)
        case .notSent where !client.isRelayed,
            .lost where request.isRepeatable && !client.isRelayed:
            askAgain(request, name, deadline, done)
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
        _ request: RoutedRequest, _ name: SessionName, _ deadline: Instant, _ done: @escaping Done
    ) {
        guard router.now < deadline else {
            return done(
                .init(
                    .storage(
                        why: "the node that owns the session cannot be reached",
                        outcome: request.isRepeatable ? .unknown : .undone)))
        }
        router.callLater { [weak self] in self?.ask(request, about: name, until: deadline, done) }
    }

    /// Records a watch or its end after a successful `watch` or `unwatch`.
    private func recordWatch(_ request: RoutedRequest, _ name: SessionName, _ result: [UInt8]) {
        switch request.method {
        case .watch:
            watches[name] = Watch(topics: request.topics, seq: RelayedPage(result).seq)
            client.beginWatch(.session(name), .nothing)
        case .unwatch:
            watches[name] = nil
            client.endWatch(.session(name))
        default: break
        }
    }

    /// Returns the route to an owner, and makes it if necessary. If the owner cannot be reached, the route has no lane, and
    /// every request on it is `notSent`.
    private func route(to owner: ShardRouter.Owner) -> OwnerRoute {
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
        let startCursor = request.since.flatMap { ClusterCursor($0) }
        if request.since != nil, startCursor == nil {
            return done(.init(.invalid(.session("*"), argument: "since", why: "expected a cursor")))
        }
        let owners = router.owners(for: client)
        var pages = MergedPages(
            limit: request.limit, shardCount: router.shardCount,
            missingShardCount: router.missingShardCount(for: client))
        if request.method == .watch {
            // What a watch that still begins has collected must not be lost.
            endGapCollection(mergedGap: nil)
            // A relayed client gets the gaps of this node's shards one by one. Its own node merges them.
            watchOfAll =
                startCursor != nil && !client.isRelayed
                ? .beginning(Watch(topics: request.topics), GapCollector())
                : .begun(Watch(topics: request.topics))
            client.beginWatch(.all, .nothing)
        }
        var unanswered = owners.count
        let finish = { [weak self] in
            guard unanswered == 0 else { return }
            if let startCursor { self?.scheduleMergedGap(pages, since: startCursor.pos) }
            if request.method == .watch, let self {
                seenPositions.advance(to: pages.cursor)
            }
            if request.method == .unwatch, let self {
                endGapCollection(mergedGap: nil)
                watchOfAll = .none
                client.endWatch(.all)
            }
            done(pages.reply(to: request.method))
        }
        if unanswered == 0 { return finish() }
        for owner in owners {
            route(to: owner).ask(requestForOwner(owner, request, startCursor)) {
                [router] outcome in
                switch outcome {
                case .reply(.result(let bytes)): pages.add(RelayedPage(bytes), owner.shard)
                case .reply(.error(let error)):
                    pages.addError(error, shardCount: router.ownedShardCount(of: owner))
                case .lost, .notSent: pages.addMissing(router.ownedShardCount(of: owner))
                }
                unanswered -= 1
                finish()
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

    /// Called when all owners have replied. Each owner sends the missed changes, or a gap, directly after its reply. When
    /// `gapPatience` has passed, the client gets one gap in place of the owners' gaps, and then the notifications that were
    /// held back. `since` is the `pos` of the cursor at which the watch begins.
    private func scheduleMergedGap(_ pages: MergedPages, since: Int) {
        guard case .beginning(_, let collector) = watchOfAll else { return }
        collector.endTimer.set(on: router.loop, GapCollector.gapPatience) {
            [unowned self, unowned collector] in
            endGapCollection(mergedGap: collector.hasGap ? pages.gap(since: since) : nil)
        }
    }

    /// If the gaps of the owners are collected, ends this, and passes on the collected notifications. If `mergedGap` is not nil,
    /// it replaces the owners' gaps.
    private func endGapCollection(mergedGap: EncodedNotification?) {
        guard case .beginning(let watch, let collector) = watchOfAll else { return }
        watchOfAll = .begun(watch)
        for notification in collector.notifications(mergedGap: mergedGap) where !client.isGone {
            client.receive(notification)
        }
    }

    /// The request in the form that this owner understands. `start` is the cursor with the positions of all shards. A shard of
    /// this node knows only its own positions, so the position in that shard replaces the cursor. Other owners get the request
    /// unchanged.
    private func requestForOwner(
        _ owner: ShardRouter.Owner, _ request: RoutedRequest, _ start: ClusterCursor?
    ) -> RoutedRequest {
        guard request.method == .watch, let start, let shard = owner.shard else { return request }
        let since = Cursor(start.positions[shard] ?? 0).text
        return .watch(.all, topics: request.topics, since: .string(since))
    }

    // MARK: notifications

    /// Records the position of a notification that an owner has sent. Then passes the notification to the client, or to the
    /// collector of gaps if there is one.
    fileprivate func receive(_ line: [UInt8]) {
        guard let notification = EncodedNotification(relayed: line) else { return }
        if notification.method == "change" || notification.method == "gap" {
            let change = RelayedPage.changePosition(of: notification)
            notification.pos = change.pos
            if let name = change.session {
                if let seq = watches[name]?.seq { watches[name]?.seq = max(seq, change.seq) }
                if watchOfAll.watch != nil {
                    seenPositions.advance(router.shard(of: name), to: change.pos)
                }
            }
        }
        guard case .beginning(_, let collector) = watchOfAll else {
            return client.receive(notification)
        }
        collector.add(notification)
        // Too many notifications are held: the client gets them now, and the gaps of owners one by one.
        if collector.isFull { endGapCollection(mergedGap: nil) }
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
            resumeWatchOfAllLater(of: route.owner)
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
            // The last known owner may be the owner that was lost, so the request is sent a moment later.
            router.callLater { [weak self] in
                guard let self, let watch = watches[name], !watch.isResuming, !client.isGone else {
                    return
                }
                watches[name]?.isResuming = true
                let request = RoutedRequest.watch(
                    .session(name), topics: watch.topics, since: .int(watch.seq))
                ask(request, about: name) { [weak self] _ in
                    self?.watches[name]?.isResuming = false
                }
            }
        }
    }

    /// Extends the watch of all sessions to a new owner. The owner is a shard that this node has restored, or another node.
    /// `pos` is the newest `pos` of the restored shard; nil for a node. In a shard, the watch continues after the last change
    /// of the shard that the client has seen. If the client has seen no change of the shard, the watch begins after `pos`.
    func ownerAppeared(_ owner: ShardRouter.Owner, restoredAt pos: Int?) {
        guard let watch = watchOfAll.watch, !client.isGone else { return }
        let shard = owner.shard
        let since = shard.flatMap { seenPositions.positions[$0] } ?? pos
        if let shard, let since { seenPositions.positions[shard] = since }
        let cursor = shard == nil ? nil : since.map { Value.string(Cursor($0).text) }
        route(to: owner).ask(.watch(.all, topics: watch.topics, since: cursor)) { [weak self] in
            self?.recordPositions($0)
        }
    }

    /// Resumes the watch of all sessions at a node to which the connection was lost, as soon as the node can be reached again.
    private func resumeWatchOfAllLater(of owner: ShardRouter.Owner) {
        guard watchOfAll.watch != nil, !client.isRelayed,
            ownersResumingWatchOfAll.insert(owner).inserted
        else { return }
        router.callLater { [weak self] in self?.resumeWatchOfAll(owner) }
    }

    private func resumeWatchOfAll(_ owner: ShardRouter.Owner) {
        // If the node has ended, other nodes acquire its shards. `ownerAppeared` then extends the watch to the new owners.
        guard let watch = watchOfAll.watch, !client.isGone, case .node(let node) = owner,
            router.isAlive(node)
        else {
            ownersResumingWatchOfAll.remove(owner)
            return
        }
        var cursor = ClusterCursor()
        for shard in router.shards(of: node) {
            cursor.positions[shard] = seenPositions.positions[shard]
        }
        let since = Value.string(cursor.text)
        route(to: owner).ask(.watch(.all, topics: watch.topics, since: since)) { [weak self] in
            guard let self else { return }
            if case .reply = $0 {
                recordPositions($0)
                ownersResumingWatchOfAll.remove(owner)
            } else {
                router.callLater { [weak self] in self?.resumeWatchOfAll(owner) }
            }
        }
    }

    /// Records the positions at which the watch of a node's shards began. The reply of a shard of this node has no positions of
    /// several shards, and is ignored.
    private func recordPositions(_ outcome: OwnerRoute.Outcome) {
        guard case .reply(.result(let bytes)) = outcome,
            let cursor = RelayedPage(bytes).cursor.flatMap({ ClusterCursor($0) })
        else { return }
        seenPositions.advance(to: cursor)
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
            routedClient?.receive(line)
        } else {
            pending.removeFirst()?(.reply(RoutedReply(line)))
        }
    }

    package func shardMoved(_ shard: Int) { routedClient?.shardMoved(shard) }

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
