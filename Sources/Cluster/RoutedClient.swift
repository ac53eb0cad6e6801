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
        case begun(Watch)
        /// The gaps of the owners are collected: the watch begins at a cursor, or an owner has sent a gap.
        case collecting(Watch, GapCollector)

        var watch: Watch? {
            switch self {
            case .none: nil
            case .begun(let watch), .collecting(let watch, _): watch
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
        var startCursor = request.since.flatMap { ClusterCursor($0) }
        if request.since != nil, startCursor == nil {
            return done(.init(.invalid(.session("*"), argument: "since", why: "expected a cursor")))
        }
        // A node without shards may get some later, and then reports them to its watchers.
        var owners = router.owners(for: client, includesIdleNodes: request.method == .watch)
        if client.isRelayed {
            // The other node names the shards in which it resumes the watch. In the other shards, the watch goes on.
            if let startCursor, client.resumesWatches, watchOfAll.watch != nil {
                owners.removeAll { $0.shard.map { startCursor.positions[$0] == nil } ?? true }
            }
        } else {
            startCursor = startCursor?.naming(shards: router.shardCount)
        }
        let pages = MergedPages(
            limit: request.limit, shardCount: router.shardCount,
            missingShardCount: router.missingShardCount(for: client),
            from: client.isRelayed ? ClusterCursor() : startCursor ?? ClusterCursor())
        if request.method == .watch {
            // What a watch that still begins has collected must not be lost.
            endGapCollection()
            let watch = Watch(topics: request.topics)
            watchOfAll = .begun(watch)
            if !client.isRelayed {
                // In the shards that have no owner now, the watch begins at the cursor when they get one.
                seenPositions = startCursor ?? ClusterCursor()
                // A relayed client gets the gaps of this node's shards one by one. Its own node merges them.
                if let startCursor { collectGaps(of: watch, since: startCursor.pos) }
            }
            client.beginWatch(.all, .nothing)
        }
        askOwners(owners, request, startCursor, pages) { [weak self] pages in
            if let self, case .collecting(_, let collector) = watchOfAll, startCursor != nil {
                scheduleMergedGap(pages, collector)
            }
            if request.method == .unwatch, let self {
                endGapCollection()
                watchOfAll = .none
                client.endWatch(.all)
            }
            done(pages.reply(to: request.method))
        }
    }

    /// Sends a request about all sessions to these owners, and calls `done` once with `pages` and the pages of the replies.
    private func askOwners(
        _ owners: [ShardRouter.Owner], _ request: RoutedRequest, _ startCursor: ClusterCursor?,
        _ pages: MergedPages, _ done: @escaping (MergedPages) -> Void
    ) {
        var (unanswered, pages) = (owners.count, pages)
        if owners.isEmpty { return done(pages) }
        for owner in owners {
            route(to: owner).ask(requestForOwner(owner, request, startCursor)) {
                [weak self, router] outcome in
                switch outcome {
                case .reply(.result(let bytes)):
                    let page = RelayedPage(bytes)
                    let positions = page.positions(of: owner.shard)
                    pages.add(page, at: positions)
                    if request.method == .watch { self?.recordStart(positions, startCursor) }
                case .reply(.error(let error)):
                    pages.addError(error, shardCount: router.ownedShardCount(of: owner))
                case .lost, .notSent: pages.addMissing(router.ownedShardCount(of: owner))
                }
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

    // MARK: gaps in the watch of all sessions

    /// Begins to collect the gaps of the owners. `since` is the `pos` after which the client lacks changes.
    @discardableResult
    private func collectGaps(of watch: Watch, since: Int) -> GapCollector {
        let collector = GapCollector(since: since, deadline: router.endOfHold)
        watchOfAll = .collecting(watch, collector)
        return collector
    }

    /// Called when all owners have replied. Each owner sends the missed changes, or a gap, directly after its reply. So the
    /// collection continues for `gapPatience`.
    private func scheduleMergedGap(_ pages: MergedPages, _ collector: GapCollector) {
        collector.timer.set(on: router.loop, GapCollector.gapPatience) { [unowned self] in
            endGapCollection(pages)
        }
    }

    /// Ends the collection of gaps with the sessions of all owners: the client gets one gap, if there was one. If shards have no
    /// owner yet, and an owner has sent a gap, the client gets the gap later. It would otherwise forget the sessions of these
    /// shards.
    private func endGapCollection(_ pages: MergedPages) {
        guard case .collecting(let watch, let collector) = watchOfAll else { return }
        if collector.hasGap, pages.missingShardCount > 0, router.now < collector.deadline {
            return postponeGap(collector)
        }
        watchOfAll = .begun(watch)
        pass(collector.notifications(mergingGapsInto: pages))
    }

    /// Passes on what was held, and asks the owners again later.
    private func postponeGap(_ collector: GapCollector) {
        pass(collector.release())
        collector.timer.set(on: router.loop, GapCollector.retryInterval) { [unowned self] in
            askForGap()
        }
    }

    /// Asks all owners for the present state of their sessions, for a gap. The watch of all sessions begins anew at the owners, so
    /// each owner first reports the changes that its state shows.
    private func askForGap() {
        guard case .collecting(let watch, let collector) = watchOfAll else { return }
        collector.hold()
        let request = RoutedRequest.watch(.all, topics: watch.topics, since: nil)
        let pages = MergedPages(
            limit: request.limit, shardCount: router.shardCount,
            missingShardCount: router.missingShardCount(for: client), from: seenPositions)
        let owners = router.owners(for: client, includesIdleNodes: true)
        askOwners(owners, request, nil, pages) { [weak self, weak collector] pages in
            guard let self, let collector else { return }
            scheduleMergedGap(pages, collector)
        }
    }

    /// If the gaps of the owners are collected, ends this, and passes on the collected notifications.
    private func endGapCollection() {
        guard case .collecting(let watch, let collector) = watchOfAll else { return }
        watchOfAll = .begun(watch)
        pass(collector.notifications())
    }

    private func pass(_ notifications: [EncodedNotification]) {
        for notification in notifications where !client.isGone { client.receive(notification) }
    }

    /// The request in the form that this owner understands. `start` has the positions of the shards in which a watch begins. A
    /// shard of this node knows only its own positions, so the position in that shard replaces the cursor.
    private func requestForOwner(
        _ owner: ShardRouter.Owner, _ request: RoutedRequest, _ start: ClusterCursor?
    ) -> RoutedRequest {
        guard request.method == .watch, let start else { return request }
        let since: String?
        if let shard = owner.shard {
            // A node of an earlier version does not name the shards whose position is 0.
            let pos = start.positions[shard] ?? (client.resumesWatches ? nil : 0)
            since = pos.map { Cursor($0).text }
        } else {
            since = start.textOfAllShards
        }
        return .watch(.all, topics: request.topics, since: since.map { .string($0) })
    }

    /// Records where the watch of all sessions has begun in the shards of an owner: at `start`, or else at the positions that the
    /// owner's reply shows.
    private func recordStart(_ shown: ClusterCursor?, _ start: ClusterCursor?) {
        for (shard, pos) in shown?.positions ?? [:] {
            seenPositions.positions[shard] = start?.positions[shard] ?? pos
        }
    }

    // MARK: notifications

    /// Records the position of a notification that an owner has sent. Then passes the notification to the client, or to the
    /// collector of gaps if there is one.
    fileprivate func receive(_ line: [UInt8], from owner: ShardRouter.Owner) {
        guard let notification = EncodedNotification(relayed: line) else { return }
        var shard: Int?
        if notification.method == "change" || notification.method == "gap" {
            let change = RelayedPage.changePosition(of: notification)
            notification.pos = change.pos
            guard let name = change.session else { return receiveGap(notification, from: owner) }
            let shardOfName = router.shard(of: name)
            if let seq = watches[name]?.seq {
                watches[name]?.seq = max(seq, change.seq)
                seenPositions.advance(shardOfName, to: change.pos)
            } else if isRepeated(change.pos, in: shardOfName) {
                return
            }
            if notification.method == "change" { shard = shardOfName }
        }
        guard case .collecting(_, let collector) = watchOfAll, collector.isHolding else {
            return client.receive(notification)
        }
        collector.hold(notification, ofShard: shard)
        if collector.isFull { pass(collector.release()) }
    }

    /// Records the position of a change in a watch of all sessions. Returns whether the client has this change already: after the
    /// move of a shard, the next owner may report what the previous owner has reported and what was still on its way.
    private func isRepeated(_ pos: Int, in shard: Int) -> Bool {
        guard watchOfAll.watch != nil else { return false }
        if !client.isRelayed, let seen = seenPositions.positions[shard], pos <= seen { return true }
        seenPositions.advance(shard, to: pos)
        return false
    }

    /// Collects a gap in the watch of all sessions, and asks the owners for the present state of all sessions. For a relayed
    /// client, its own node does so. The gap then has a cursor of its shard only; the other node knows the other positions.
    private func receiveGap(_ notification: EncodedNotification, from owner: ShardRouter.Owner) {
        if client.isRelayed, let shard = owner.shard {
            var seen = ClusterCursor()
            seen.positions[shard] = seenPositions.positions[shard]
            let gap = OwnerGap(notification, of: shard, movingPast: &seen)
            seenPositions.positions.merge(seen.positions) { $1 }
            return client.receive(gap.notification)
        }
        let since = seenPositions.pos
        let gap = OwnerGap(notification, of: owner.shard, movingPast: &seenPositions)
        switch watchOfAll {
        // The gap was on its way when the watch ended.
        case .none: break
        case .collecting(_, let collector): collector.add(gap)
        case .begun(let watch):
            collectGaps(of: watch, since: since).add(gap)
            askForGap()
        }
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

    /// Extends the watch of all sessions to a shard that this node has restored. `pos` is the newest `pos` of the shard. For a
    /// client of another node, that node does so: it knows what the client has seen of the shard.
    func shardAppeared(_ shard: Int, restoredAt pos: Int) {
        guard watchOfAll.watch != nil, !client.isGone else { return }
        if client.isRelayed, client.resumesWatches { return client.nodeServes(shard, from: pos) }
        resumeWatchOfAll(in: shard, at: .shard(shard), restoredAt: pos)
    }

    /// Resumes the watch of all sessions in a shard that an owner has restored, after the last change of the shard that the client
    /// has seen. If the client has seen no change of the shard, the watch begins after `pos`, the newest one.
    fileprivate func resumeWatchOfAll(
        in shard: Int, at owner: ShardRouter.Owner, restoredAt pos: Int
    ) {
        guard let watch = watchOfAll.watch, !client.isGone else { return }
        let since = seenPositions.positions[shard] ?? pos
        seenPositions.positions[shard] = since
        let start = ClusterCursor(positions: [shard: since])
        let request = RoutedRequest.watch(.all, topics: watch.topics, since: nil)
        route(to: owner).ask(requestForOwner(owner, request, start)) { _ in }
    }

    /// Extends the watch of all sessions to another node.
    func nodeAppeared(_ node: String) {
        guard let watch = watchOfAll.watch, !client.isGone else { return }
        beginWatchOfAll(watch, at: .node(node)) { _ in }
    }

    /// Begins the watch of all sessions at another node, after the last changes that the client has seen. In the shards of which
    /// it has seen none, the watch begins at the present.
    private func beginWatchOfAll(
        _ watch: Watch, at owner: ShardRouter.Owner,
        _ done: @escaping (_ hasReplied: Bool) -> Void
    ) {
        let request = RoutedRequest.watch(.all, topics: watch.topics, since: nil)
        route(to: owner).ask(requestForOwner(owner, request, seenPositions)) { [weak self] in
            guard case .reply(let reply) = $0 else { return done(false) }
            if case .result(let bytes) = reply, let self {
                recordStart(RelayedPage(bytes).positions(of: nil), seenPositions)
            }
            done(true)
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
        // If the node has ended, other nodes acquire its shards. The watch is then resumed there.
        guard let watch = watchOfAll.watch, !client.isGone, case .node(let node) = owner,
            router.isAlive(node)
        else {
            ownersResumingWatchOfAll.remove(owner)
            return
        }
        beginWatchOfAll(watch, at: owner) { [weak self] hasReplied in
            guard let self else { return }
            if hasReplied {
                ownersResumingWatchOfAll.remove(owner)
            } else {
                router.callLater { [weak self] in self?.resumeWatchOfAll(owner) }
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
        routedClient?.resumeWatchOfAll(in: shard, at: owner, restoredAt: pos)
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
