import GameFlow
import JSONCoding
import PostgresStore
import RPC
import Sessions
import Support
import Timers

/// The lanes of one client, or of this node itself, to the owners of its sessions, and what it watches there.
///
/// When a shard gets another owner, it asks again what may be asked twice, and watches the same
/// sessions there, after the last change that the client got.
final class RoutedClient {
    unowned let client: any RoutedPeer
    unowned let router: ShardRouter
    private var ways: [ShardRouter.Owner: Way] = [:]
    private var watches: [SessionName: Watch] = [:]
    private var watchOfAll: Watch?
    /// The newest `pos` of each shard that the client has seen, for a watch of all.
    private var seen = ClusterCursor()
    /// The gaps that owners send while the client begins to watch all sessions from a cursor on; nil at other times.
    private var gathered: GatheredGaps?
    /// The nodes that are being asked to go on with the watch of all.
    private var resuming: Set<ShardRouter.Owner> = []
    /// Whether the client gets the owner's address in an error instead of being forwarded.
    var wantsRedirects = false

    private struct Watch {
        let topics: [String]?
        /// The newest `seq` that the client has seen.
        var seq = 0
        /// Whether the next owner is being asked to go on. Each further loss of a way must not ask a second time: the
        /// client would get the missed changes twice.
        var isResuming = false
    }

    init(_ client: any RoutedPeer, _ router: ShardRouter) {
        (self.client, self.router) = (client, router)
    }

    deinit { for way in ways.values { way.end() } }

    /// The client is gone.
    func end() {
        for way in exchange(&ways, with: [:]).values { way.end() }
        (watches, watchOfAll, gathered) = ([:], nil, nil)
    }

    // MARK: asking

    typealias Done = (RoutedReply) -> Void

    /// Asks about one session, and calls `done` once with the reply of its owner. It waits for an owner until `end`, by
    /// default for `--hold`.
    func ask(
        _ request: RoutedRequest, about name: SessionName, until end: Instant? = nil,
        _ done: @escaping Done
    ) {
        let shard = router.shard(of: name)
        let end = end ?? router.endOfHold
        switch router.owner(of: shard) {
        case .nowhere:
            if router.isGuest(client) { return done(.init(elsewhere(name, nil))) }
            router.wait(for: shard, until: end) { [weak self] isOver in
                guard let self else { return }
                if let why = isOver { return done(.init(.storage(why: why, outcome: .undone))) }
                ask(request, about: name, until: end, done)
            }
        case .node(let node) where wantsRedirects || router.isGuest(client):
            done(.init(elsewhere(name, node)))
        case .node(let node):
            way(to: .node(node)).ask(request) { [weak self] in
                self?.took($0, request, name, end, done)
            }
        case .here:
            way(to: .shard(shard)).ask(request) { [weak self] in
                self?.took($0, request, name, end, done)
            }
        }
    }

    private func elsewhere(_ name: SessionName, _ node: String?) -> RequestError {
        let facts = node.flatMap { router.map.node($0)?.facts }
        return .elsewhere(
            session: name.text, node: facts?.name ?? "", address: facts?.address ?? "")
    }

    private func took(
        _ outcome: Way.Outcome, _ request: RoutedRequest, _ name: SessionName, _ end: Instant,
        _ done: @escaping Done
    ) {
        switch outcome {
        case .reply(.error(let error)) where error.name == "elsewhere" && !router.isGuest(client):
            // The node has not executed it: the shard has moved since the last look.
            router.ownersHaveChanged()
            again(request, name, end, done)
        case .reply(let reply):
            if case .result(let bytes) = reply { note(request, name, bytes) }
            done(reply)
        case .notSent where !router.isGuest(client),
            .lost where request.isRepeatable && !router.isGuest(client):
            again(request, name, end, done)
        case .notSent:
            done(.init(elsewhere(name, nil)))
        case .lost:
            done(
                .init(
                    .storage(
                        why: "the node that owns the session ended before it answered",
                        outcome: .unknown)))
        }
    }

    /// Asks again a moment later, until the end of the hold.
    private func again(
        _ request: RoutedRequest, _ name: SessionName, _ end: Instant, _ done: @escaping Done
    ) {
        guard router.now < end else {
            return done(
                .init(
                    .storage(
                        why: "the node that owns the session cannot be reached",
                        outcome: request.isRepeatable ? .unknown : .undone)))
        }
        router.pause { [weak self] in self?.ask(request, about: name, until: end, done) }
    }

    /// Notes what the client watches from now on.
    private func note(_ request: RoutedRequest, _ name: SessionName, _ result: [UInt8]) {
        switch request.method {
        case .watch:
            watches[name] = Watch(topics: request.topics, seq: RoutedPage(result).seq)
            client.follow(.session(name), .nothing)
        case .unwatch:
            watches[name] = nil
            client.unfollow(.session(name))
        default: break
        }
    }

    private func way(to owner: ShardRouter.Owner) -> Way {
        if let way = ways[owner], way.lane != nil { return way }
        let way = Way(self, owner)
        ways[owner] = way
        way.lane = router.lane(to: owner, for: way)
        return way
    }

    // MARK: all sessions

    /// Asks all owners, and calls `done` once with the merged reply.
    func askAll(_ request: RoutedRequest, _ done: @escaping Done) {
        let start = request.since.flatMap { ClusterCursor($0) }
        if request.since != nil, start == nil {
            return done(.init(.invalid(.session("*"), argument: "since", why: "expected a cursor")))
        }
        let owners = router.owners(for: client)
        var merge = MergedPages(limit: request.limit, missing: router.missing(for: client))
        if request.method == .watch {
            watchOfAll = Watch(topics: request.topics)
            client.follow(.all, .nothing)
            // Another node's client gets the gaps of this node's shards one by one; that node makes one of all.
            if start != nil, !router.isGuest(client) { gathered = GatheredGaps() }
        }
        var open = owners.count
        let finish = { [weak self] in
            guard open == 0 else { return }
            if let start { self?.gatherGaps(merge, since: start.pos) }
            if request.method == .watch, let self {
                seen.advance(to: merge.cursor)
            }
            if request.method == .unwatch, let self {
                watchOfAll = nil
                client.unfollow(.all)
            }
            done(merge.reply(to: request.method))
        }
        if open == 0 { return finish() }
        for owner in owners {
            way(to: owner).ask(ofOwner(owner, request, start)) { [router] outcome in
                switch outcome {
                case .reply(.result(let bytes)): merge.add(RoutedPage(bytes), owner.shard)
                case .reply(.error(let error)): merge.fail(error)
                case .lost, .notSent: merge.miss(router.count(of: owner))
                }
                open -= 1
                finish()
            }
        }
    }

    /// Each owner sends the missed changes, or a gap, directly after its reply. A moment after the last reply the gaps become one,
    /// with the present state of all sessions, and what came meanwhile follows it.
    private func gatherGaps(_ merge: MergedPages, since: Int) {
        gathered?.end = ScopedCountdown(on: router.loop, GatheredGaps.patience) { [unowned self] in
            let gap = gathered?.hasGap == true ? merge.gap(since: since) : nil
            pass(gap.map { [$0] } ?? [])
        }
    }

    /// Passes on these notifications and what was gathered.
    private func pass(_ first: [EncodedNotification]) {
        let others = exchange(&gathered, with: nil)?.others ?? []
        for notification in first + others where !client.isGone { client.receive(notification) }
    }

    /// The part of a request that an owner answers: of a cursor only what is about it.
    private func ofOwner(
        _ owner: ShardRouter.Owner, _ request: RoutedRequest, _ start: ClusterCursor?
    ) -> RoutedRequest {
        guard request.method == .watch, let start, let shard = owner.shard else { return request }
        let since = Cursor(start.positions[shard] ?? 0).text
        return .watch(.all, topics: request.topics, since: .string(since))
    }

    // MARK: notifications

    fileprivate func receive(_ line: [UInt8]) {
        guard let notification = EncodedNotification(relayed: line) else { return }
        if notification.method == "change" || notification.method == "gap" {
            let change = RoutedPage.change(notification)
            notification.pos = change.pos
            if let name = change.session {
                if let seq = watches[name]?.seq { watches[name]?.seq = max(seq, change.seq) }
                if watchOfAll != nil { seen.advance(router.shard(of: name), to: change.pos) }
            }
        }
        guard gathered != nil else { return client.receive(notification) }
        gathered?.add(notification)
        if gathered?.isFull == true { pass([]) }
    }

    // MARK: owners that change

    /// A node or a shard of this node cannot be reached by this way any more.
    fileprivate func lost(_ way: Way) {
        if ways[way.owner] === way { ways[way.owner] = nil }
        way.lane = nil
        guard !client.isGone else { return }
        switch way.owner {
        case .shard(let shard): shardMoved(shard)
        case .node(let node):
            let shards = Set(router.shards(of: node))
            watchAgain { shards.contains($0) }
            watchAllAgain(of: way.owner)
        }
    }

    /// Watches what the client watches of a shard at its next owner.
    fileprivate func shardMoved(_ shard: Int) {
        if router.isGuest(client) { return client.shardMoved(shard) }
        watchAgain { $0 == shard }
    }

    private func watchAgain(_ isMeant: (Int) -> Bool) {
        guard !router.isGuest(client) else { return }
        for name in watches.keys.sorted(by: { $0.text < $1.text })
        where isMeant(router.shard(of: name)) {
            // A moment later, because the owner that is known now may be the one that was lost.
            router.pause { [weak self] in
                guard let self, let watch = watches[name], !watch.isResuming, !client.isGone else {
                    return
                }
                watches[name]?.isResuming = true
                let again = RoutedRequest.watch(
                    .session(name), topics: watch.topics, since: .int(watch.seq))
                ask(again, about: name) { [weak self] _ in
                    self?.watches[name]?.isResuming = false
                }
            }
        }
    }

    /// This node has restored a shard, or reaches another node: a watch of all includes it.
    func ownerAppeared(_ owner: ShardRouter.Owner, restoredAt pos: Int?) {
        guard let watch = watchOfAll, !client.isGone else { return }
        let shard = owner.shard
        let since = shard.flatMap { seen.positions[$0] } ?? pos
        if let shard, let since { seen.positions[shard] = since }
        let cursor = shard == nil ? nil : since.map { Value.string(Cursor($0).text) }
        way(to: owner).ask(.watch(.all, topics: watch.topics, since: cursor)) { [weak self] in
            self?.notePositions($0)
        }
    }

    /// The connection to a node was lost: the watch of all goes on there as soon as the node can be reached.
    private func watchAllAgain(of owner: ShardRouter.Owner) {
        guard watchOfAll != nil, !router.isGuest(client), resuming.insert(owner).inserted else {
            return
        }
        router.pause { [weak self] in self?.askToGoOn(owner) }
    }

    private func askToGoOn(_ owner: ShardRouter.Owner) {
        // The shards of a node that has ended appear elsewhere.
        guard let watch = watchOfAll, !client.isGone, case .node(let node) = owner,
            router.isAlive(node)
        else {
            resuming.remove(owner)
            return
        }
        var cursor = ClusterCursor()
        for shard in router.shards(of: node) { cursor.positions[shard] = seen.positions[shard] }
        let since = Value.string(cursor.text)
        way(to: owner).ask(.watch(.all, topics: watch.topics, since: since)) { [weak self] in
            guard let self else { return }
            if case .reply = $0 {
                notePositions($0)
                resuming.remove(owner)
            } else {
                router.pause { [weak self] in self?.askToGoOn(owner) }
            }
        }
    }

    /// Notes where the watch of a node's shards began.
    private func notePositions(_ outcome: Way.Outcome) {
        guard case .reply(.result(let bytes)) = outcome,
            let cursor = RoutedPage(bytes).cursor.flatMap({ ClusterCursor($0) })
        else { return }
        seen.advance(to: cursor)
    }
}

/// One lane of a client, and the requests whose replies have not come back.
final class Way: LaneClient {
    enum Outcome {
        case reply(RoutedReply)
        /// The lane was lost: it is unknown whether the request was executed.
        case lost
        /// The lane was lost before the request was sent.
        case notSent
    }

    private weak var routed: RoutedClient?
    let owner: ShardRouter.Owner
    var lane: (any Lane)?
    private var pending = Deque<(Outcome) -> Void>()

    init(_ routed: RoutedClient, _ owner: ShardRouter.Owner) {
        (self.routed, self.owner) = (routed, owner)
    }

    func ask(_ request: RoutedRequest, _ done: @escaping (Outcome) -> Void) {
        guard let lane else { return done(.notSent) }
        pending.append(done)
        lane.send(request.line)
    }

    /// Ends the lane, which retains this object.
    func end() { exchange(&lane, with: nil)?.end() }

    // MARK: LaneClient

    var source: Source { routed?.client.source ?? .program }
    var rights: Rights { routed?.client.rights ?? .nothing }
    var convertsArguments: Bool { routed?.client.convertsArguments ?? false }
    func recordForbidden(_ error: RequestError) -> Bool {
        routed?.client.recordForbidden(error) ?? false
    }

    func receive(_ line: [UInt8]) {
        if EncodedNotification.isNotification(line) {
            routed?.receive(line)
        } else {
            pending.removeFirst()?(.reply(RoutedReply(line)))
        }
    }

    func shardMoved(_ shard: Int) { routed?.shardMoved(shard) }

    func laneWasLost(unsent: Int) {
        let routed = routed
        var waiting = exchange(&pending, with: Deque())
        routed?.lost(self)
        while let done = waiting.removeFirst() {
            done(waiting.count < unsent ? .notSent : .lost)
        }
    }
}
