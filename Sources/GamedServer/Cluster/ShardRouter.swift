import Durability
import EventLoop
import GameFlow
import Journal
import PostgresStore
import RPC
import Sessions
import Support
import Timers

/// The shards of this node, the ways to those of other nodes, and which request goes where.
final class ShardRouter: RequestRouter, ShardLeasesDelegate {
    /// Who answers requests about a shard.
    enum Owner: Hashable {
        case shard(Int)
        case node(String)

        /// The shard, if it is one of this node.
        var shard: Int? { if case .shard(let shard) = self { shard } else { nil } }
    }

    let leases: ShardLeases
    let nodeEnvironment: NodeEnvironment
    /// Since when the configuration has each `on` line about another session.
    let lineTimes: LineTimes
    private let store: PostgresStore
    let loop: LibeventLoop
    private var environment: ShardEnvironment?
    private(set) var map = ShardMap()
    private var hosts: [Int: ShardHost] = [:]
    /// The shards that were acquired and whose rows are being read.
    private var restoring: Set<Int> = []
    private var links: [String: NodeLink] = [:]
    /// Why there is no connection to a node, so that each reason is logged once.
    private var linkFaults: [String: String] = [:]
    private var clients: [ObjectIdentifier: WeakClient] = [:]
    /// Requests that wait for the owner of a shard.
    private var waiting: [Int: [Wait]] = [:]
    private var pauses: [ScopedCountdown] = []
    private var paused: [() -> Void] = []
    private var recentMoves: [Move] = []
    /// The owner of each shard that was seen last, for `recentMoves`.
    private var owners: [Int: String] = [:]
    private var draining: Set<Int> = []
    /// The shards to drain as soon as their rows are read. A shard is released only after it was served, so that a released
    /// one was always handed over.
    private var toDrain: Set<Int> = []
    private var isEnding = false
    private var pulse: ScopedPendulum?
    /// Looks for stuck sessions in all shards.
    private var stuckPulse: ScopedPendulum?
    /// Called when a shard has got another owner.
    var ownersMoved: () -> Void = {}
    /// How long a request waits for an owner.
    private let hold: Duration

    private struct WeakClient { weak var routed: RoutedClient? }

    private struct Wait {
        let until: Instant
        /// Called with nil when there is an owner, or with the reason why there is none.
        let done: (_ why: String?) -> Void
    }

    /// A shard that got another owner.
    struct Move {
        let shard: Int
        let from: String
        let to: String
        let at: Instant
    }

    /// How many moves `nodes` shows.
    static let shownMoves = 32

    init(
        _ leases: ShardLeases, _ store: PostgresStore, _ nodeEnvironment: NodeEnvironment,
        _ lineTimes: LineTimes, hold: Duration, on loop: LibeventLoop
    ) {
        self.lineTimes = lineTimes
        (self.leases, self.store, self.loop, self.hold) = (leases, store, loop, hold)
        self.nodeEnvironment = nodeEnvironment
        leases.delegate = self
    }

    /// Begins to acquire shards.
    func begin(_ environment: ShardEnvironment) {
        self.environment = environment
        leases.begin()
        environment.histories.mustWait = { [unowned self] in !restoring.isEmpty }
        pulse = ScopedPendulum(on: loop, .milliseconds(100)) { [unowned self] _ in
            resumeWaiting()
        }
        stuckPulse = ScopedPendulum(on: loop, .seconds(1)) { [unowned self] _ in
            for host in hosts.values { host.lookForStuckSessions() }
            lineTimes.write()
        }
    }

    var shardCount: Int { leases.shardCount }

    func shard(of name: SessionName) -> Int { ShardMap.shard(of: name, shards: shardCount) }

    /// Ends a turn of the loop: all rows of the turn are written in one transaction.
    func endTurn() {
        guard let busy = environment?.busyShards else { return }
        store.collect { busy.endTurn() }
    }

    // MARK: where a shard is

    func owner(of shard: Int) -> ShardMap.Place {
        if let host = hosts[shard], host.isServing { return .here }
        if restoring.contains(shard) || draining.contains(shard) { return .nowhere }
        guard let owner = map.owner(of: shard), owner != leases.identity else { return .nowhere }
        return .node(identity: owner)
    }

    /// The shards that a node owns, as last seen.
    func shards(of node: String) -> [Int] {
        (0..<shardCount).filter { map.owner(of: $0) == node }
    }

    func isAlive(_ node: String) -> Bool { map.node(node)?.isAlive == true }

    func count(of owner: Owner) -> Int {
        switch owner {
        case .shard: 1
        case .node(let node): shards(of: node).count
        }
    }

    /// Those who together answer for all sessions; for another node's client, only this node's own
    /// shards.
    func owners(for client: any RoutedPeer) -> [Owner] {
        let own = hosts.values.filter(\.isServing).map { Owner.shard($0.shard) }
            .sorted { ($0.shard ?? 0) < ($1.shard ?? 0) }
        guard !isGuest(client) else { return own }
        let others = Set((0..<shardCount).compactMap { map.owner(of: $0) })
            .subtracting([leases.identity]).sorted()
        return own + others.map { .node($0) }
    }

    /// How many shards have no owner at present.
    func missing(for client: any RoutedPeer) -> Int {
        isGuest(client) ? 0 : missingShards
    }

    func isGuest(_ client: any RoutedPeer) -> Bool { client is GuestClient }

    func lane(to owner: Owner, for client: any LaneClient) -> (any Lane)? {
        switch owner {
        case .shard(let shard): hosts[shard].map { ShardLane(client, to: $0) }
        case .node(let node): link(to: node)?.lane(for: client)
        }
    }

    private func link(to node: String) -> NodeLink? {
        if let link = links[node] { return link }
        guard let facts = map.node(node)?.facts, !facts.address.isEmpty else { return nil }
        let link = NodeLink(to: node, at: facts.address, nodeEnvironment)
        links[node] = link
        link.ended = { [unowned self, unowned link] why in
            if links[node] === link { links[node] = nil }
            guard !isEnding, linkFaults.updateValue(why, forKey: node) != why else { return }
            Log.write(.warning, "node \(facts.name) at \(facts.address): \(why)")
        }
        return link
    }

    /// The connection to the node that has this name; nil if there is none. Of several nodes with one name, it is the first.
    func link(toNodeNamed name: String) -> NodeLink? {
        let named = map.nodes.filter { $0.isAlive && $0.facts.name == name }
        let others = named.map(\.identity).filter { $0 != leases.identity }
        return others.min().flatMap { link(to: $0) }
    }

    // MARK: RequestRouter

    func route(_ request: RoutedRequest, from peer: any Caller) -> DeferredResult {
        DeferredResult(estimate: request.estimate) { [weak self] done in
            guard let self, let client = peer as? any Client else {
                return done(.failure(.refused(.storage(why: "the daemon ends", outcome: .undone))))
            }
            let routed = routes(of: client)
            switch request.target {
            case .session(let name): routed.ask(request, about: name) { done($0.answer) }
            case .all: routed.askAll(request) { done($0.answer) }
            }
        }
    }

    func redirect(_ isWanted: Bool, _ peer: any Caller) {
        guard let client = peer as? any Client else { return }
        routes(of: client).wantsRedirects = isWanted
    }

    /// The lanes of a client.
    func routes(of client: any Client) -> RoutedClient {
        if let routes = client.routes { return routes }
        let routes = RoutedClient(client, self)
        client.routes = routes
        tellOwners(to: routes)
        return routes
    }

    /// Tells this client from now on when there are further owners, which a watch of all includes.
    func tellOwners(to routes: RoutedClient) {
        clients[ObjectIdentifier(routes)] = WeakClient(routed: routes)
        if clients.count & 1023 == 0 {
            clients = clients.filter { $0.value.routed != nil }
        }
    }

    /// Takes the sessions, rules and flow files of a configuration that was read again.
    func reload(_ options: Options) {
        let starts = StartSessions(options)
        environment?.startSessions = starts
        lineTimes.reload(options.onLines.linkFingerprints, at: databaseTime ?? .zero)
        leases.announce(ClusterFacts.digest(options))
        for (shard, host) in hosts where host.isServing {
            starts.open(in: host.sessions) { [unowned self] in self.shard(of: $0) == shard }
        }
    }

    // MARK: waiting

    /// Calls `done` when a shard may have an owner, or with the reason at `end`.
    func wait(for shard: Int, until end: Instant, _ done: @escaping (_ why: String?) -> Void) {
        waiting[shard, default: []].append(Wait(until: end, done: done))
    }

    var now: Instant { loop.timerQueue.now }
    /// The time that all nodes share; nil before it was read for the first time.
    var databaseTime: Instant? { leases.databaseTime }
    /// Until when a request that begins now waits for an owner.
    var endOfHold: Instant { now + hold }

    /// Calls `work` a moment later: the owners are being read.
    func pause(_ work: @escaping () -> Void) {
        paused.append(work)
        guard pauses.isEmpty else { return }
        pauses = [
            ScopedCountdown(on: loop, .milliseconds(20)) { [unowned self] in
                pauses = []
                for work in exchange(&paused, with: []) { work() }
            }
        ]
    }

    func ownersHaveChanged() { leases.hint() }

    private func resumeWaiting() {
        if waiting.isEmpty { return }
        let now = loop.timerQueue.now
        for shard in waiting.keys.sorted() {
            if owner(of: shard) != .nowhere {
                for wait in waiting.removeValue(forKey: shard) ?? [] { wait.done(nil) }
                continue
            }
            let late = (waiting[shard] ?? []).filter { $0.until <= now }
            guard !late.isEmpty else { continue }
            waiting[shard]?.removeAll { $0.until <= now }
            for wait in late { wait.done("no node owns the session at present") }
        }
    }

    // MARK: ShardLeasesDelegate

    var marks: [Int: HighWaterMark] { hosts.compactMapValues(\.mark) }

    func gained(_ shard: Int, wasReleased: Bool) {
        guard let environment, !isEnding else { return }
        restoring.insert(shard)
        ShardRows.read(store.shard(shard), answers: Limits().ids) { [weak self] result in
            guard let self, restoring.contains(shard) else { return }
            switch result {
            case .failure(let error):
                restoring.remove(shard)
                Log.write(.error, "shard \(shard) cannot be read: \(error.why)")
                store.shard(shard).abandon()
                leases.giveUp(shard)
            case .success(let rows): serve(shard, rows, wasReleased: wasReleased, environment)
            }
        }
    }

    private func serve(
        _ shard: Int, _ rows: ShardRows, wasReleased: Bool, _ environment: ShardEnvironment
    ) {
        restoring.remove(shard)
        defer { if toDrain.remove(shard) != nil { drain(shard) } }
        let loss = StateDirectory.loss(rows.owned.reading.scan, rows.notes.mark, rows.notes.pruned)
        if let loss, !environment.options.acceptsLoss {
            Log.write(
                .error,
                "shard \(shard) is not served: \(loss); inspect it with `gamectl journal check`, "
                    + "--accept-loss continues without it")
            return
        }
        let isWhole = wasReleased && loss == nil
        let host = ShardHost(
            shard, rows, handedOverAt: isWhole ? rows.owned.handedOver(since: leases.began) : nil,
            environment)
        hosts[shard] = host
        noteMove(shard, to: leases.identity)
        for client in clients.values {
            client.routed?.ownerAppeared(.shard(shard), restoredAt: host.restoredPos)
        }
        resumeWaiting()
        environment.histories.next()
    }

    func drain(_ shard: Int) {
        if restoring.contains(shard) {
            toDrain.insert(shard)
            return
        }
        // A shard whose rows are not complete is not served, and is left to the end of its lease.
        guard let host = hosts[shard] else { return leases.giveUp(shard) }
        draining.insert(shard)
        host.drain { [leases, unowned host] in leases.drained(shard, host.mark) }
    }

    func lost(_ shard: Int) {
        restoring.remove(shard)
        toDrain.remove(shard)
        draining.remove(shard)
        guard let host = hosts.removeValue(forKey: shard) else {
            return store.shard(shard).abandon()
        }
        host.end()
    }

    func trustReturned() { for host in hosts.values { host.trustReturned() } }

    func looked(_ view: LeaseTable.View) {
        let before = map
        map = ShardMap(view)
        for row in view.rows where before.owner(of: row.shard) != map.owner(of: row.shard) {
            if let owner = map.owner(of: row.shard), owner != leases.identity {
                noteMove(row.shard, to: owner)
            }
        }
        // The requests on their way to a node that has ended get no answer.
        let alive = Set(map.nodes.filter(\.isAlive).map(\.identity))
        for (node, link) in links where !alive.contains(node) {
            linkFaults[node] = nil
            links[node] = nil
            link.end("the node has ended")
        }
        let appeared = Set(alive).subtracting(before.nodes.filter(\.isAlive).map(\.identity))
        for node in appeared.sorted() where node != leases.identity {
            for client in clients.values {
                client.routed?.ownerAppeared(.node(node), restoredAt: nil)
            }
        }
        resumeWaiting()
    }

    private func noteMove(_ shard: Int, to owner: String) {
        let last = owners[shard] ?? ""
        guard last != owner else { return }
        owners[shard] = owner
        ownersMoved()
        recentMoves.append(Move(shard: shard, from: last, to: owner, at: loop.timerQueue.now))
        if recentMoves.count > Self.shownMoves { recentMoves.removeFirst() }
    }

    // MARK: what operators see

    /// The nodes and their shards, as `nodes` returns them.
    func nodes() -> [Member] {
        let now = loop.timerQueue.now
        let facts = Set(map.nodes.filter(\.isAlive).map(\.facts.facts))
        let nodes = map.nodes.filter(\.isAlive).map { node -> Value in
            let own = shards(of: node.identity)
            return .object([
                Member("node", node.facts.name), Member("id", node.identity),
                Member("address", node.facts.address),
                Member("self", .bool(node.identity == leases.identity)),
                Member("shards", own.count), Member("leaseMs", node.leaseMs),
                Member("rules", node.facts.facts),
            ])
        }
        let moves = recentMoves.map { move -> Value in
            .object([
                Member("shard", move.shard), Member("from", name(move.from)),
                Member("to", name(move.to)), Member("agoMs", Int((now - move.at).milliseconds)),
            ])
        }
        return [
            Member("nodes", .array(nodes)), Member("shards", shardCount),
            Member("missing", missingShards),
            Member("skewMs", Int(leases.skew.milliseconds)),
            Member("differ", .bool(facts.count > 1)), Member("moves", .array(moves)),
        ]
    }

    private func name(_ identity: String) -> String { map.node(identity)?.facts.name ?? identity }

    /// Notifies those who watch inputs, on any node: they watch each shard, so one of this node's shards is enough.
    func announce(_ input: UnmatchedInput) {
        let serving = hosts.values.filter(\.isServing)
        serving.min { $0.shard < $1.shard }?.sessions.announce(input)
    }

    /// The sessions of this node, for the metrics.
    var ownSessions: [Sessions] { hosts.values.map(\.sessions) }
    var stuckSessions: Int { ownSessions.reduce(0) { $0 + $1.stuckEntries.count } }
    var ownShards: Int { hosts.count }
    var missingShards: Int { (0..<shardCount).count { owner(of: $0) == .nowhere } }
    var liveNodes: Int { map.nodes.count(where: \.isAlive) }
    var transactions: Int { store.transactions }
    /// Why a shard of this node cannot store anything; nil if all can.
    var outage: String? { hosts.values.lazy.compactMap(\.sessions.outage).first }

    /// Allows the removal of old rows in all shards. Returns whether it was held before.
    func releasePruning() -> Bool {
        hosts.values.reduce(false) { $1.releasePruning() || $0 }
    }

    // MARK: the end

    /// Makes everything durable, gives all shards up, and calls `done`.
    func close(_ done: @escaping () -> Void) {
        (isEnding, pulse, stuckPulse) = (true, nil, nil)
        for link in links.values { link.end("this node ends") }
        links = [:]
        let all = hosts
        var open = all.count
        let finish = { [self] in
            guard open == 0 else { return }
            let marks = self.marks
            for host in all.values { host.end() }
            hosts = [:]
            leases.release(Array(all.keys), marks, done)
        }
        if open == 0 { return finish() }
        store.collect {
            for host in all.values {
                host.drain {
                    open -= 1
                    finish()
                }
            }
        }
    }
}

/// The rows of all shards, as the maintenance needs them.
struct ClusterJournal: MaintainedJournal {
    let router: ShardRouter
    let store: PostgresStore
    let keep: String

    /// A backup reads the database by itself.
    var outage: String? { nil }

    func releasePruning() -> Bool { router.releasePruning() }

    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) { store.shard(0).backup(to: path, notes: notes, done) }
}
