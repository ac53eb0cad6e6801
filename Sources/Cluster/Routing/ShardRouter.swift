import Durability
package import EventLoop
import GameFlow
package import Journal
package import Parts
package import PostgresStore
package import RPC
package import Sessions
package import Shards
import Support
package import Timers

/// Holds the shards of this node and the connections to other nodes. Sends each request about a session to the owner of the
/// session.
package final class ShardRouter: RequestRouter, ShardLeasesDelegate {
    /// The receiver of requests: a shard of this node, or another node with all of its shards.
    package enum Owner: Hashable {
        case shard(Int)
        /// Another node, by its identity.
        case node(String)

        /// The shard; nil for another node.
        package var shard: Int? { if case .shard(let shard) = self { shard } else { nil } }
    }

    package let leases: ShardLeases
    /// What the connections to other nodes share.
    package let nodeEnvironment: NodeEnvironment
    /// The times from which the `on` lines with `send=` or `open=` apply. These lines act on other sessions. A line is not
    /// applied to changes that were made before its time.
    package let lineTimes: LineTimes
    package let loop: LibeventLoop
    /// The owners of all shards, as last read from the database.
    private(set) var shardMap = ShardMap()
    /// When `shardMap` was read, by the loop's clock.
    private(set) var shardMapInstant = Instant.zero
    /// The shards that this node serves, restores and gives up.
    private let acquired: AcquiredShards
    private let links: NodeLinks
    /// The lanes and watches of the callers that have sent a request to an owner and have not gone. They are told of new owners.
    private var clients: [ObjectIdentifier: RoutedClient] = [:]
    private var waits = OwnerWaits()
    /// Calls `delayedWork`.
    private var delayTimer = Alarm()
    private let laterCalls: LaterCalls
    /// The requests about all sessions to the shards of this node: each shard writes a page of its sessions.
    private let shardCalls: SlicedCalls
    /// The closures of `callLater`.
    private var delayedWork: [() -> Void] = []
    private(set) var moves = ShardMoves()
    private(set) var formatSwitch: RowFormatSwitch
    /// Resumes requests whose shard has an owner now, and ends waits that last too long.
    private var waitTimer = Ticker()
    /// Follows the database's clock, and writes `lineTimes` into the database if this has failed.
    private var secondTimer = Ticker()
    /// Called when a shard has moved to another owner; `RemoteSessions` then lists the sessions again.
    package var shardOwnersChanged: () -> Void = {}
    /// How long a request waits for an owner: the option `--hold`.
    private let hold: Duration

    package init(
        _ leases: ShardLeases, _ store: PostgresStore, _ nodeEnvironment: NodeEnvironment,
        _ lineTimes: LineTimes, hold: Duration, on loop: LibeventLoop
    ) {
        (self.lineTimes, laterCalls) = (lineTimes, LaterCalls(on: loop))
        shardCalls = SlicedCalls(.milliseconds(2), on: loop)
        (self.leases, self.loop, self.hold) = (leases, loop, hold)
        (self.nodeEnvironment, links) = (nodeEnvironment, NodeLinks(nodeEnvironment))
        acquired = AcquiredShards(leases, store, on: loop)
        formatSwitch = RowFormatSwitch(StoreCodec.format(of: leases.codec))
        leases.delegate = self
    }

    /// How often the waiting requests are checked. The requests are also checked each time when the owners were read.
    private static let waitCheckInterval = Duration.milliseconds(100)

    /// Begins to acquire shards.
    package func begin(
        _ environment: ShardEnvironment, _ followers: [any ShardFollower],
        _ journalReads: JournalReadQueue
    ) {
        acquired.begin(environment, followers, journalReads) { [unowned self] in serves($0) }
        waitTimer.start(on: loop, Self.waitCheckInterval) { [unowned self] _ in resumeWaiting() }
        secondTimer.start(on: loop, .seconds(1)) { [unowned self] _ in
            followDatabaseClock()
            lineTimes.writeNotes()
            acquired.writeLog(node: environment.options.node.name)
        }
    }

    /// Called when the clock of the database was set.
    package var clockWasSet: (_ step: Duration) -> Void = { _ in }

    /// Makes the dates of the sessions follow the database's clock. Reports a step once for all shards.
    private func followDatabaseClock() {
        guard let offset = leases.clockOffset else { return }
        if let step = shards.followWallClock(loop.now + offset) { clockWasSet(step) }
    }

    package var shardCount: Int { leases.shardCount }
    /// The shards of this node.
    package var shards: OwnShards { acquired.shards }

    package func shard(of name: SessionName) -> Int { shards.number(name) }

    // MARK: owners

    /// Which node serves a shard. The result is `nowhere` if the shard has no owner. The result is also `nowhere` if this node
    /// owns the shard, but does not serve it yet or no longer serves it.
    package func location(of shard: Int) -> ShardMap.Location {
        if let ownShard = shards.byNumber[shard], ownShard.isServing { return .here }
        if acquired.isInTransition(shard) { return .nowhere }
        guard let owner = shardMap.owner(of: shard), owner != leases.identity else {
            return .nowhere
        }
        return .node(identity: owner)
    }

    /// The shards that the node with this identity owns, as last read from the database.
    package func shards(of node: String) -> [Int] {
        (0..<shardCount).filter { shardMap.owner(of: $0) == node }
    }

    /// Whether the node with this identity is alive, as last read from the database.
    package func isAlive(_ node: String) -> Bool { shardMap.node(node)?.isAlive == true }

    /// Whether an owner serves sessions, as far as is known: a shard of this node, or another node that is alive.
    func isReachable(_ owner: Owner) -> Bool {
        switch owner {
        case .shard(let shard): location(of: shard) == .here
        case .node(let node): isAlive(node)
        }
    }

    /// The identities of the other nodes that are alive, as last read from the database.
    var otherNodes: [String] {
        shardMap.nodes.filter { $0.isAlive && $0.identity != leases.identity }.map(\.identity)
    }

    /// The number of shards of an owner. If the owner does not answer a request about all sessions, the result lacks these
    /// shards.
    func ownedShardCount(of owner: Owner) -> Int {
        switch owner {
        case .shard: 1
        case .node(let node): shards(of: node).count
        }
    }

    /// The owners that together have all sessions. If `includesIdleNodes` is true, also the other nodes that own no shard. For a
    /// relayed client, the result has only the shards of this node, because the node to which the client is connected asks the
    /// other owners.
    package func owners(
        for client: any RoutedCaller, includesIdleNodes: Bool = false
    ) -> [Owner] {
        let servedShards = shards.all.filter(\.isServing).map { Owner.shard($0.number) }
        guard !client.isRelayed else { return servedShards }
        let owners = Set((0..<shardCount).compactMap { shardMap.owner(of: $0) })
        let nodes = includesIdleNodes ? owners.union(otherNodes) : owners
        return servedShards + nodes.subtracting([leases.identity]).sorted().map { .node($0) }
    }

    /// The number of shards that no node serves at present. For a relayed client, the number of this node's shards that it does
    /// not serve yet, or no longer serves: the node to which the client is connected counts the shards without an owner. A shard
    /// that this node does not serve because rows are missing is not counted, because it stays so.
    package func missingShardCount(for client: any RoutedCaller) -> Int {
        client.isRelayed ? acquired.transitionCount : missingShardCount
    }

    /// Returns a new lane; nil if the owner cannot be reached.
    func lane(to owner: Owner, for client: any LaneClient) -> (any Lane)? {
        switch owner {
        case .shard(let shard): shards.byNumber[shard].map { ShardLane(client, to: $0) }
        case .node(let node): shardMap.node(node).flatMap(links.link)?.lane(for: client)
        }
    }

    /// The connection to another node with this name; nil if no other node has the name. If several nodes have the name, the
    /// node with the lowest identity is used.
    package func link(toNodeNamed name: String) -> NodeLink? {
        let nodesOfName = shardMap.nodes.filter { $0.isAlive && $0.description.name == name }
        let others = nodesOfName.filter { $0.identity != leases.identity }
        return others.min { $0.identity < $1.identity }.flatMap(links.link)
    }

    // MARK: RequestRouter

    package func callInLaterTurn(_ work: @escaping () -> Void) { laterCalls.add(work) }

    /// Makes a call that asks an owner about all of its sessions: now, or in a later turn if other shards of this node have been asked
    /// for so long that other clients would wait. A request about one session that follows in the same batch may be executed before.
    func askInSlices(_ owner: Owner, _ call: @escaping () -> Void) {
        switch owner {
        case .shard: shardCalls.add(call)
        case .node: call()
        }
    }

    package func route(_ request: RoutedRequest, from caller: any Caller) -> DeferredResult {
        DeferredResult(assumedBytes: request.assumedBytes) { [weak self] done in
            guard let self, let client = caller as? any RoutableClient else {
                return done(.failure(.refused(.storage(why: "the daemon ends", outcome: .undone))))
            }
            let routedClient = self.routedClient(of: client)
            var request = request
            request.sentSince = client.sentSince
            switch request.target {
            case .session(let name): routedClient.ask(request, about: name) { done($0.answer) }
            case .all: routedClient.askAll(request) { done($0.answer) }
            }
        }
    }

    package func setRedirects(_ areOn: Bool, for caller: any Caller) {
        guard let client = caller as? any RoutableClient else { return }
        routedClient(of: client).wantsRedirects = areOn
    }

    /// Returns the object with the lanes of a caller. The first call makes it. From then on, the
    /// router reports each new owner to this object, so that the caller's watch of all sessions includes the new owner's sessions.
    package func routedClient(of caller: any RoutedCaller) -> RoutedClient {
        if let routedClient = knownClient(of: caller) { return routedClient }
        let routedClient = RoutedClient(caller, self)
        // A caller that has gone gets no reply, and nobody would remove it from the table.
        if !caller.isGone { clients[ObjectIdentifier(caller)] = routedClient }
        return routedClient
    }

    /// The object with the lanes of a caller that has sent a request to an owner; nil for another caller.
    package func knownClient(of caller: any RoutedCaller) -> RoutedClient? {
        clients[ObjectIdentifier(caller)]
    }

    /// Ends all lanes and watches of a caller. Each caller calls it before it is released, because its lanes refer to it.
    package func callerHasGone(_ caller: any RoutedCaller) {
        clients.removeValue(forKey: ObjectIdentifier(caller))?.end()
    }

    /// Applies a configuration that was read again. Records the times from which its new link lines apply, which have these
    /// fingerprints, and announces its digest to the other nodes.
    package func reload(_ options: Options, linkLines: Set<UInt64>, digest: String) {
        acquired.reload(options)
        lineTimes.reload(linkLines, at: databaseTime ?? .zero)
        leases.announce(digest)
    }

    // MARK: standstills

    /// When the process began to run again after its last standstill; before that, the beginning of time. What a device has
    /// sent before is not passed on.
    private(set) var runsSince = Instant.zero

    /// Called after the process stood still longer than for its lease. Refuses the requests that wait, and closes the
    /// connections to other nodes. If `restartsTimers` is true, also gives up the shards that this node still owns: it acquires
    /// them again as after a restart, so that timers follow their declarations. Steps can still be undone if no other node has
    /// acquired the shard before.
    package func stoodStill(restartsTimers: Bool) {
        runsSince = now
        let why = "the node stood still after the request was sent"
        for refuse in waits.takeAll(why: why) { refuse() }
        for shard in shards.all { shard.refuseHeldRequests(why: why) }
        links.endAll("this node stood still")
        if restartsTimers { acquired.giveUpAll() }
    }

    // MARK: waiting

    /// Calls `done` with nil when the shard has an owner, or with a reason if the shard still has none at `end`.
    package func wait(
        for shard: Int, until end: Instant, _ done: @escaping (_ why: String?) -> Void
    ) {
        waits.add(shard, until: end, done)
    }

    /// The present instant of the loop's clock.
    package var now: Instant { loop.timerQueue.now }
    /// The time on the database's clock, which all nodes share; nil before it was read for the first time.
    package var databaseTime: Instant? { leases.databaseTime }
    /// Until when a request that begins now waits for an owner.
    var endOfHold: Instant { now + hold }

    /// The longest time after which `callLater` calls its closure.
    private static let delay = Duration.milliseconds(20)

    /// Calls `work` after at most `delay`. The new owners may have been read from the database by then.
    func callLater(_ work: @escaping () -> Void) {
        delayedWork.append(work)
        guard !delayTimer.isSet else { return }
        delayTimer.set(on: loop, Self.delay) { [unowned self] in
            for work in exchange(&delayedWork, with: []) { work() }
        }
    }

    /// Reads the owners from the database soon. Called when a node has refused a request because it is no longer the owner.
    func ownersHaveChanged() { leases.readSoon() }

    /// Ends the waits of requests whose shard has an owner now, or whose time is over.
    private func resumeWaiting() {
        for end in waits.takeFinished(at: now, { location(of: $0) != .nowhere }) { end() }
    }

    /// Called when this node begins to serve a shard.
    private func serves(_ shard: Shard) {
        recordMove(shard.number, to: leases.identity)
        for client in clients.values {
            client.watchOfAll.shardAppeared(shard.number, restoredAt: shard.restoredPos)
        }
        resumeWaiting()
    }

    // MARK: ShardLeasesDelegate

    package var marks: [Int: HighWaterMark] { acquired.marks }
    package func gained(_ shard: Int, wasReleased: Bool) {
        acquired.gained(shard, wasReleased: wasReleased)
    }
    package func drain(_ shard: Int) { acquired.drain(shard) }
    package func lost(_ shard: Int) { acquired.lost(shard) }
    package func leasesWereRenewed() { for shard in shards.all { shard.leaseWasRenewed() } }

    package func leaseTableWasRead(_ snapshot: LeaseTable.Snapshot) {
        let previousMap = shardMap
        (shardMap, shardMapInstant) = (ShardMap(snapshot), now)
        if let format = formatSwitch.read(snapshot) { acquired.write(format) }
        for row in snapshot.rows
        where previousMap.owner(of: row.shard) != shardMap.owner(of: row.shard) {
            if let owner = shardMap.owner(of: row.shard), owner != leases.identity {
                acquired.isOwnedByOther(row.shard)
                recordMove(row.shard, to: owner)
            }
        }
        // A node that has ended does not answer the requests that were sent to it. The end of the link ends the wait for the
        // replies.
        let alive = Set(shardMap.nodes.filter(\.isAlive).map(\.identity))
        links.endOthers(than: alive)
        let appeared = alive.subtracting(previousMap.nodes.filter(\.isAlive).map(\.identity))
        for node in appeared.sorted() where node != leases.identity {
            for client in clients.values { client.watchOfAll.nodeAppeared(node) }
        }
        resumeWaiting()
    }

    private func recordMove(_ shard: Int, to owner: String) {
        if moves.record(shard, to: owner, at: now) { shardOwnersChanged() }
    }

    // MARK: what operators see

    /// Why the database may lose acknowledged changes, as far as is known.
    var storeWeaknesses: [String] { acquired.storeWeaknesses }

    /// The name of the node with this identity; the identity itself if the node is not known any more.
    func name(ofNode identity: String) -> String {
        shardMap.node(identity)?.description.name ?? identity
    }

    /// The number of shards that no node serves at present.
    package var missingShardCount: Int { (0..<shardCount).count { location(of: $0) == .nowhere } }
    /// As `missingShardCount`, and also the shards of this node whose leases are not trusted at this moment.
    package var unservedShardCount: Int {
        (0..<shardCount).count { shard in
            switch location(of: shard) {
            case .here: !leases.isTrusted(shard)
            case .node: false
            case .nowhere: true
            }
        }
    }
    /// The number of requests that wait at this node: for an owner, or for the lease or the store of a shard of this node.
    package var heldRequestCount: Int {
        waits.count
            + shards.byNumber.values.reduce(0) { $0 + $1.heldRequests + $1.waitingReplies }
    }
    /// For how long a request has waited for a shard that this node owns and does not serve yet, or no longer serves.
    package var longestWaitForOwnShard: Duration {
        // A wait ends `hold` after its beginning.
        waits.earliestEnd(of: leases.shards).map { now - $0 + hold } ?? .zero
    }
    /// Whether this node serves a shard, or knows a node that owns one and that can be reached as far as is known.
    package var reachesAnOwner: Bool {
        if shards.byNumber.values.contains(where: \.isServing) { return true }
        let owners = Set((0..<shardCount).compactMap { shardMap.owner(of: $0) })
        return owners.contains { owner in
            owner != leases.identity && isAlive(owner) && links.isReachable(owner)
        }
    }
    /// How many shards this node took, lost or handed over since the start.
    package var shardMoves: Int { acquired.moveCount }

    // MARK: the end

    /// Called when the daemon ends. Makes all rows durable, gives all shards up, and then calls `done`.
    package func close(_ done: @escaping () -> Void) {
        waitTimer.stop()
        secondTimer.stop()
        links.close()
        acquired.close(done)
    }
}
