import GameFlow
import JSONCoding
import RPC
import Sessions
import Timers

/// A client's watch of all sessions: a watch at each owner. The client gets each change once, or a gap with the present state of
/// all sessions, whichever nodes end, join, or take shards over.
///
/// If the client is connected to another node, this object has the watches at the shards of this node. The other node knows what
/// the client has seen, so it resumes the watch in a shard that this node begins to serve.
final class WatchOfAll {
    private unowned let routes: RoutedClient
    private var state = State.ended
    /// For each shard, the `pos` up to which the client has the shard's changes.
    private var seen = ClusterCursor()
    /// The owners at which the watch has begun, by shard: such an owner reports the changes of the shard in their order.
    private var reporters: [Int: ShardRouter.Owner] = [:]
    /// The owners that have not replied to the request to begin the watch at a cursor. Their changes belong to an earlier watch, and
    /// come again after the reply.
    private var ownersBeforeStart: Set<ShardRouter.Owner> = []
    /// Counts the requests `watch` and `unwatch`. The reply to a request has no effect if another one followed.
    private var requestCount = 0
    /// The owners at which the watch is begun again later, because they could not answer: their store did not work, or they had just
    /// got shards.
    private let ownersToResume = RetrySet<ShardRouter.Owner>()

    /// What is needed to begin the watch at an owner.
    private struct Watch {
        /// The topics that the client named; nil if it named none.
        let topics: [String]?
        /// Whether the client gets changes. Otherwise it has missed none, wherever the watch is resumed.
        var hasChanges: Bool {
            topics.map { (try? Topics(names: $0))?.contains(.changes) == true } ?? true
        }
    }

    private enum State {
        case ended
        case watching(Watch)
        /// The gaps of the owners are collected: the watch begins at a cursor, or an owner has sent a gap.
        case collecting(Watch, GapCollector)
    }

    init(_ routes: RoutedClient) { self.routes = routes }

    private var client: any RoutedCaller { routes.client }
    private var router: ShardRouter { routes.router }
    /// Whether the client's node resumes the watch in a shard that this node begins to serve.
    private var isResumedByItsNode: Bool {
        client.origin == .otherNode(resumesWatches: true)
    }

    private var watch: Watch? {
        switch state {
        case .ended: nil
        case .watching(let watch), .collecting(let watch, _): client.isGone ? nil : watch
        }
    }

    /// The topics; nil if the client does not watch all sessions.
    var topics: [String]? { watch.map { $0.topics ?? Topics.changes.names } }

    /// Ends the watch without a request to the owners: the client is gone.
    func end() { state = .ended }

    // MARK: requests of the client

    /// Begins the watch with a request `watch`, or changes its topics, and calls `done` once with the merged reply.
    func begin(_ request: RoutedRequest, _ done: @escaping RoutedClient.Done) {
        var start = request.since.flatMap { ClusterCursor($0) }
        if request.since != nil, start == nil {
            return done(.init(.invalid(.session("*"), argument: "since", why: "expected a cursor")))
        }
        if !client.isRelayed { start = start?.naming(shards: router.shardCount) }
        guard isAllowed(request) else {
            // The owners refuse it, and the watch stays as it is.
            let requests = routes.ownersOfWatches.map { owner in
                (owner, self.request(to: owner, Watch(topics: request.topics), start))
            }
            return routes.askOwners(requests, routes.pages(for: request)) {
                done($0.reply(to: .watch))
            }
        }
        guard start != nil, watch != nil, !client.isRelayed else {
            return begin(request, start, done)
        }
        // The changes after the cursor and the changes that happen meanwhile must not mix.
        requestCount += 1
        let number = requestCount
        let pages = routes.pages(for: request)
        routes.askOwners(routes.ownersOfWatches.map { ($0, .unwatchAll) }, pages) {
            [weak self] _ in
            guard let self, number == requestCount else {
                let why = "a later request of the same batch is about the same watch"
                return done(.init(.storage(why: why, outcome: .undone)))
            }
            begin(request, start, done)
        }
    }

    /// Whether the owners will accept the request as far as this node knows.
    private func isAllowed(_ request: RoutedRequest) -> Bool {
        guard let topics = try? Topics(names: request.topics ?? Topics.changes.names) else {
            return false
        }
        return client.rights.missingRight(toWatch: .all, topics) == nil
    }

    private func begin(
        _ request: RoutedRequest, _ start: ClusterCursor?, _ done: @escaping RoutedClient.Done
    ) {
        requestCount += 1
        let (number, previous) = (requestCount, watch)
        var owners = routes.ownersOfWatches
        if isResumedByItsNode, watch != nil, let start {
            // The other node names the shards in which it resumes the watch. In the other shards, the watch goes on.
            owners.removeAll { $0.shard.map { start.positions[$0] == nil } ?? true }
        }
        stopCollecting()
        let watch = Watch(topics: request.topics)
        var collector: GapCollector?
        if let start, !client.isRelayed {
            // In the shards that have no owner now, the watch begins at the cursor when they get one.
            (seen, reporters, ownersBeforeStart) = (start, [:], Set(owners))
            collector = collectGaps(of: watch, since: start.pos)
        } else {
            // If the client gets changes already, it gets those that follow what it has seen.
            if previous?.hasChanges != true { (seen, reporters) = (ClusterCursor(), [:]) }
            ownersBeforeStart = []
            state = .watching(watch)
        }
        client.beginWatch(.all, .nothing)
        let pages = routes.pages(for: request, from: client.isRelayed ? nil : start)
        ask(owners, watch, start, pages) { [weak self] pages in
            if let self, number == requestCount {
                if pages.isRefused, previous == nil {
                    state = .ended
                    client.endWatch(.all)
                } else if let collector {
                    scheduleGap(pages, collector)
                }
            }
            done(pages.reply(to: .watch))
        }
    }

    /// Ends the watch with a request `unwatch`, and calls `done` once with the merged reply.
    func end(_ request: RoutedRequest, _ done: @escaping RoutedClient.Done) {
        requestCount += 1
        let number = requestCount
        let requests = routes.ownersOfWatches.map { ($0, request) }
        routes.askOwners(requests, routes.pages(for: request)) { [weak self] pages in
            if let self, number == requestCount {
                stopCollecting()
                state = .ended
                client.endWatch(.all)
            }
            done(pages.reply(to: .unwatch))
        }
    }

    /// Begins the watch at these owners: after `start` in the shards that it names, at the present in the others. Calls `done` once
    /// with `pages` and the pages of the replies. An owner that cannot answer now is asked again later.
    private func ask(
        _ owners: [ShardRouter.Owner], _ watch: Watch, _ start: ClusterCursor?,
        _ pages: MergedPages, _ done: @escaping (MergedPages) -> Void
    ) {
        let requests = owners.map { ($0, request(to: $0, watch, start)) }
        routes.askOwners(
            requests, pages, hasReplied: { [weak self] in self?.hasBegun(at: $0, $1, start) },
            done: done)
    }

    /// Records where the watch has begun at an owner, or that it must be begun there again.
    private func hasBegun(
        at owner: ShardRouter.Owner, _ answer: OwnerAnswer, _ start: ClusterCursor?
    ) {
        ownersBeforeStart.remove(owner)
        switch answer {
        case .page(let page, let positions):
            for (shard, pos) in positions?.positions ?? [:] {
                // For a client of this node, `seen` has the start already, and perhaps later changes.
                let start = client.isRelayed ? start?.positions[shard] : nil
                seen.positions[shard] = start ?? seen.positions[shard] ?? pos
                reporters[shard] = owner
            }
            if page.missingShardCount > 0 { resumeLater(at: owner) }
        case .error(let error): if error.name == "storage" { resumeLater(at: owner) }
        // If the connection was lost, `nodeWasLost` was called.
        case .lost: break
        case .notSent: resumeLater(at: owner)
        }
    }

    /// The request to begin the watch at an owner.
    private func request(
        to owner: ShardRouter.Owner, _ watch: Watch, _ start: ClusterCursor?
    ) -> RoutedRequest {
        var since: String?
        if let start, watch.hasChanges {
            // A shard of this node knows only its own positions. A node of an earlier version does not name the shards whose
            // position is 0.
            since =
                if let shard = owner.shard {
                    (start.positions[shard] ?? (client.isRelayed && !isResumedByItsNode ? 0 : nil))
                        .map { Cursor($0).text }
                } else {
                    start.textOfAllShards
                }
        }
        return .watch(.all, topics: watch.topics, since: since.map { .string($0) })
    }

    // MARK: notifications of the owners

    /// Records the position of a change. Returns whether the client lacks this change. Otherwise the watch has ended, or the client
    /// has the change already: after the move of a shard, the next owner may report what the previous owner has reported and what
    /// was still on its way.
    func isNew(_ pos: Int, in shard: Int, from owner: ShardRouter.Owner) -> Bool {
        guard watch != nil, !ownersBeforeStart.contains(owner) else { return false }
        if !client.isRelayed, let last = seen.positions[shard], pos <= last { return false }
        seen.advance(shard, to: pos)
        return true
    }

    /// Records the position of a change of a session that the client also watches by its name. An owner at which only that watch has
    /// been resumed may not have reported earlier changes of other sessions yet.
    func hasSeen(_ pos: Int, in shard: Int, from owner: ShardRouter.Owner) {
        if watch != nil, reporters[shard] == owner { seen.advance(shard, to: pos) }
    }

    /// Passes a notification to the client, or holds it. `shard` is the shard of a change.
    func pass(_ notification: EncodedNotification, ofShard shard: Int?) {
        guard case .collecting(_, let collector) = state, collector.isHolding else {
            return client.receive(notification)
        }
        collector.hold(notification, ofShard: shard)
        if collector.isFull { pass(collector.release()) }
    }

    private func pass(_ notifications: [EncodedNotification]) {
        for notification in notifications where !client.isGone { client.receive(notification) }
    }

    // MARK: gaps

    /// Collects a gap of an owner, and asks the owners for the present state of all sessions. For a relayed client, its own node
    /// does so.
    func receiveGap(_ notification: EncodedNotification, from owner: ShardRouter.Owner) {
        // Otherwise the gap was on its way when the watch ended.
        guard let watch else { return }
        let (gap, earlier) = (OwnerGap(notification, of: owner.shard), seen)
        // After a loss of rows, the position of the shard is lower than before.
        seen.positions.merge(gap.positions.positions) { $1 }
        if client.isRelayed { return client.receive(gap.notification(after: earlier)) }
        switch state {
        case .ended: break
        case .collecting(_, let collector): collector.add(gap)
        case .watching:
            collectGaps(of: watch, since: earlier.pos).add(gap)
            askForGap()
        }
    }

    /// Begins to collect the gaps of the owners. `since` is the `pos` after which the client lacks changes.
    private func collectGaps(of watch: Watch, since: Int) -> GapCollector {
        let collector = GapCollector(since: since, deadline: router.endOfHold)
        state = .collecting(watch, collector)
        return collector
    }

    /// Called when all owners have replied. Each owner sends the missed changes, or a gap, directly after its reply. So the
    /// collection continues for `gapPatience`.
    private func scheduleGap(_ pages: MergedPages, _ collector: GapCollector) {
        collector.timer.set(on: router.loop, GapCollector.gapPatience) {
            [unowned self, unowned collector] in
            endCollecting(pages, collector)
        }
    }

    /// Ends the collection of gaps with the sessions of all owners: the client gets one gap, if there was one. If shards have no
    /// owner yet, the client gets the gap later. It would otherwise forget the sessions of these shards.
    private func endCollecting(_ pages: MergedPages, _ collector: GapCollector) {
        guard case .collecting(let watch, let present) = state, present === collector else {
            return
        }
        guard collector.hasGap else {
            state = .watching(watch)
            return pass(collector.release())
        }
        // If too much was held and passed on, the client may have newer changes than the pages.
        let isComplete = pages.missingShardCount == 0 && collector.isHolding
        guard isComplete || router.now >= collector.deadline else { return postponeGap(collector) }
        let merged = collector.merged(with: pages)
        // Changes that the gap shows may still be on their way.
        seen.advance(to: merged.cursor)
        state = .watching(watch)
        pass([merged.gap(since: collector.since)] + collector.release(after: merged.cursor))
    }

    private func postponeGap(_ collector: GapCollector) {
        pass(collector.release())
        collector.timer.set(on: router.loop, GapCollector.retryInterval) { [unowned self] in
            askForGap()
        }
    }

    /// Asks all owners for the present state of their sessions, for a gap. An owner first reports the changes that its state
    /// shows.
    private func askForGap() {
        guard case .collecting(let watch, let collector) = state else { return }
        // The owners are asked in vain while shards have no owner, and their replies may be large.
        guard router.missingShardCount == 0 || router.now >= collector.deadline else {
            return postponeGap(collector)
        }
        collector.beginHolding()
        let request = RoutedRequest.watch(.all, topics: watch.topics, since: nil)
        ask(routes.ownersOfWatches, watch, nil, routes.pages(for: request, from: seen)) {
            [weak self, weak collector] pages in
            if let self, let collector { scheduleGap(pages, collector) }
        }
    }

    /// Ends the collection of gaps, if there is one, and passes on what was held. The gaps are not needed any more: the client ends
    /// the watch or begins it again.
    private func stopCollecting() {
        if case .collecting(_, let collector) = state { pass(collector.release()) }
    }

    // MARK: owners that change

    /// This node begins to serve a shard, whose newest change has the number `pos`.
    func shardAppeared(_ shard: Int, restoredAt pos: Int) {
        guard watch != nil else { return }
        if isResumedByItsNode { return client.nodeServes(shard, from: pos) }
        resume(in: shard, at: .shard(shard), restoredAt: pos)
    }

    /// Resumes the watch in a shard that an owner has restored, after the last change of the shard that the client has seen. If the
    /// client has seen no change of the shard, the watch begins after `pos`, the newest one.
    func resume(in shard: Int, at owner: ShardRouter.Owner, restoredAt pos: Int) {
        guard let watch, 0..<router.shardCount ~= shard else { return }
        reporters[shard] = nil
        var since = seen.positions[shard] ?? pos
        if pos < since {
            // Rows were lost, and the next changes get numbers that the client knows. No shard has a change with the largest
            // number, so the owner sends a gap.
            (seen.positions[shard], since) = (pos, Value.largest)
        } else {
            seen.positions[shard] = since
        }
        resume(watch, at: owner, ClusterCursor(positions: [shard: since]))
    }

    /// Extends the watch to another node that has appeared. A relayed client's own node does so.
    func nodeAppeared(_ node: String) {
        guard let watch, !client.isRelayed else { return }
        resume(watch, at: .node(node), seen)
    }

    /// The connection to a node is lost. If the node has ended, other nodes acquire its shards, and the watch is resumed there.
    func nodeWasLost(_ node: String) {
        reporters = reporters.filter { $0.value != .node(node) }
        guard watch != nil, !client.isRelayed else { return }
        // The next connection to the node may be possible a moment later.
        router.callLater { [weak self] in self?.resume(at: .node(node)) }
    }

    private func resume(at owner: ShardRouter.Owner) {
        if let watch, router.isReachable(owner) { resume(watch, at: owner, seen) }
    }

    private func resume(_ watch: Watch, at owner: ShardRouter.Owner, _ start: ClusterCursor) {
        routes.route(to: owner).ask(request(to: owner, watch, start)) { [weak self] in
            self?.hasBegun(at: owner, OwnerAnswer($0, of: owner), nil)
        }
    }

    private func resumeLater(at owner: ShardRouter.Owner) {
        // The node of a relayed client does it.
        guard !isResumedByItsNode else { return }
        ownersToResume.add(owner, on: router.loop) { [unowned self] in resume(at: $0) }
    }
}
