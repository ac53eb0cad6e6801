import Durability
package import EventLoop
package import GameFlow
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
package final class ShardRouter: RequestRouter, ShardLeasesDelegate, StoreNodes {
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
    private let store: PostgresStore
    package let loop: LibeventLoop
    /// What `begin` was called with, for the shards that are acquired from then on; nil before.
    private var service: Service?
    /// The owners of all shards, as last read from the database.
    private(set) var shardMap = ShardMap()
    /// When `shardMap` was read, by the loop's clock.
    private var shardMapInstant = Instant.zero
    /// The shards of this node.
    package private(set) lazy var shards = OwnShards(
        number: { [leases] in ShardMap.shard(of: $0, shards: leases.shardCount) },
        collect: { [store] in store.collect($0) })
    /// The shards that were acquired and whose rows are being read.
    private var restoringShards: Set<Int> = []
    /// The connections to other nodes, by identity.
    private var links: [String: NodeLink] = [:]
    /// The most recent reason why the connection to a node failed, by identity; the same reason is not logged twice in a row.
    private var linkFaults: [String: String] = [:]
    /// The lanes and watches of the callers that have sent a request to an owner and have not gone. They are told of new owners.
    private var clients: [ObjectIdentifier: RoutedClient] = [:]
    /// The requests that wait for an owner, by shard.
    private var waiting: [Int: [Wait]] = [:]
    /// Calls `delayedWork`.
    private var delayTimer = Alarm()
    private let laterCalls: LaterCalls
    /// The closures of `callLater`.
    private var delayedWork: [() -> Void] = []
    /// The newest moves, at most `shownMoves`, oldest first.
    private var recentMoves: [ShardMove] = []
    /// The format in which the nodes write rows, as the lease table named it last.
    private var rowFormat: RowFormat
    /// The nodes that prevent the switch to the newest codec of rows.
    private var olderNodes: [String] = []
    /// Whether it was logged that the switch is possible.
    private var isSwitchReported = false
    /// The most recent known owner of each shard. `recordMove` compares this owner with a new owner.
    private var lastOwners: [Int: String] = [:]
    /// The shards that prepare to be handed over, and take no further request.
    private var drainingShards: Set<Int> = []
    /// The shards that are to be drained, and whose rows are still being read. Each of these shards is served before it is
    /// drained, because only a served shard fires its timers. The release of a shard tells the next owner that all due timers
    /// have fired.
    private var shardsToDrain: Set<Int> = []
    /// Whether `close` was called.
    private var isEnding = false
    /// Resumes requests whose shard has an owner now, and ends waits that last too long.
    private var waitTimer = Ticker()
    /// Logs the shards that this node took and lost.
    private var shardLog = ShardLog()
    /// Follows the database's clock, and writes `lineTimes` into the database if this has failed.
    private var secondTimer = Ticker()
    /// Called when a shard has moved to another owner; `RemoteSessions` then lists the sessions again.
    package var shardOwnersChanged: () -> Void = {}
    /// How long a request waits for an owner: the option `--hold`.
    private let hold: Duration

    /// What the shards of this node need.
    private struct Service {
        /// What the shards share.
        var environment: ShardEnvironment
        /// What acts on the changes of the shards' sessions.
        let followers: [any ShardFollower]
        /// The reads of whole journals, which wait while shards are restored.
        let journalReads: JournalReadQueue
        /// Warns if the database may lose acknowledged changes.
        let storeSafety: StoreSafety
    }

    /// A request that waits for the owner of a shard.
    private struct Wait {
        /// The instant of the loop's clock at which the wait fails.
        let until: Instant
        /// Called with nil when there is an owner, or with the reason why there is none.
        let done: (_ why: String?) -> Void
    }

    /// A move of a shard to another owner. `from` and `to` are identities of nodes; `from` is empty if it is not known.
    package struct ShardMove {
        package let shard: Int
        package let from: String
        package let to: String
        /// The instant of the loop's clock at which this node noticed the move.
        package let at: Instant
    }

    /// How many moves the result of the method `nodes` contains at most.
    static let shownMoves = 32

    package init(
        _ leases: ShardLeases, _ store: PostgresStore, _ nodeEnvironment: NodeEnvironment,
        _ lineTimes: LineTimes, hold: Duration, on loop: LibeventLoop
    ) {
        (self.lineTimes, laterCalls) = (lineTimes, LaterCalls(on: loop))
        (self.leases, self.store, self.loop, self.hold) = (leases, store, loop, hold)
        self.nodeEnvironment = nodeEnvironment
        rowFormat = StoreCodec.format(of: leases.codec)
        leases.delegate = self
    }

    /// How often the waiting requests are checked. The requests are also checked each time when the owners were read.
    private static let waitCheckInterval = Duration.milliseconds(100)

    /// Begins to acquire shards.
    package func begin(
        _ environment: ShardEnvironment, _ followers: [any ShardFollower],
        _ journalReads: JournalReadQueue
    ) {
        service = Service(
            environment: environment, followers: followers, journalReads: journalReads,
            storeSafety: StoreSafety(
                leases, isAccepted: environment.options.store.acceptsWeakStore, on: loop))
        leases.begin()
        // Clients wait for the sessions of a shard that is being restored. So reads for statistics wait until no shard is being
        // restored.
        journalReads.mustWait = { [unowned self] in !restoringShards.isEmpty }
        waitTimer.start(on: loop, Self.waitCheckInterval) { [unowned self] _ in resumeWaiting() }
        secondTimer.start(on: loop, .seconds(1)) { [unowned self] _ in
            followDatabaseClock()
            lineTimes.writeNotes()
            for line in shardLog.takeLines(owned: leases.shards.count) {
                Log.write(
                    line.level, line.kind, line.text, [.node(environment.options.node.name)])
            }
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

    package func shard(of name: SessionName) -> Int { shards.number(name) }

    // MARK: owners

    /// Which node serves a shard. The result is `nowhere` if the shard has no owner. The result is also `nowhere` if this node
    /// owns the shard, but does not serve it yet or no longer serves it.
    package func location(of shard: Int) -> ShardMap.Location {
        if let ownShard = shards.byNumber[shard], ownShard.isServing { return .here }
        if restoringShards.contains(shard) || drainingShards.contains(shard) { return .nowhere }
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
        client.isRelayed
            ? restoringShards.union(drainingShards).count : missingShardCount
    }

    /// Returns a new lane; nil if the owner cannot be reached.
    func lane(to owner: Owner, for client: any LaneClient) -> (any Lane)? {
        switch owner {
        case .shard(let shard): shards.byNumber[shard].map { ShardLane(client, to: $0) }
        case .node(let node): link(to: node)?.lane(for: client)
        }
    }

    /// Returns the connection to a node, and begins it if necessary; nil if the address is not known.
    private func link(to node: String) -> NodeLink? {
        if let link = links[node] { return link }
        guard let description = shardMap.node(node)?.description, !description.address.isEmpty
        else {
            return nil
        }
        let link = NodeLink(to: node, at: description.address, nodeEnvironment)
        links[node] = link
        link.ended = { [unowned self, unowned link] why in
            if links[node] === link { links[node] = nil }
            guard !isEnding, linkFaults.updateValue(why, forKey: node) != why else { return }
            Log.write(
                .warning, .connection, "node \(description.name) at \(description.address): \(why)",
                [.node(description.name), .reason(why)])
        }
        return link
    }

    /// The connection to another node with this name; nil if no other node has the name. If several nodes have the name, the
    /// node with the lowest identity is used.
    package func link(toNodeNamed name: String) -> NodeLink? {
        let nodesOfName = shardMap.nodes.filter { $0.isAlive && $0.description.name == name }
        let otherIdentities = nodesOfName.map(\.identity).filter { $0 != leases.identity }
        return otherIdentities.min().flatMap { link(to: $0) }
    }

    // MARK: RequestRouter

    package func callInLaterTurn(_ work: @escaping () -> Void) { laterCalls.add(work) }

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
        service?.environment.options = options
        service?.storeSafety.isAccepted = options.store.acceptsWeakStore
        lineTimes.reload(linkLines, at: databaseTime ?? .zero)
        leases.announce(digest)
    }

    // MARK: standstills

    /// When the process began to run again after its last standstill; before that, the beginning of time. What a device has
    /// sent before is not passed on.
    private(set) var runsSince = Instant.zero
    /// The sessions of the shards that this node has given up after a standstill, until a node acquires the shard.
    private var sessionsBeforeStandstill: [Int: Sessions] = [:]

    /// Called after the process stood still longer than for its lease. Refuses the requests that wait, and closes the
    /// connections to other nodes. If `restartsTimers` is true, also gives up the shards that this node still owns: it acquires
    /// them again as after a restart, so that timers follow their declarations. Steps can still be undone if no other node has
    /// acquired the shard before.
    package func stoodStill(restartsTimers: Bool) {
        runsSince = now
        let why = "the node stood still after the request was sent"
        let ended = exchange(&waiting, with: [:])
        for shard in ended.keys.sorted() { for wait in ended[shard] ?? [] { wait.done(why) } }
        for shard in shards.all { shard.refuseHeldRequests(why: why) }
        for link in exchange(&links, with: [:]).values { link.end("this node stood still") }
        guard restartsTimers else { return }
        for shard in leases.shards {
            if let ownShard = shards.byNumber[shard], ownShard.isServing {
                sessionsBeforeStandstill[shard] = ownShard.sessions
            }
            leases.giveUp(shard)
        }
    }

    // MARK: waiting

    /// Calls `done` with nil when the shard has an owner, or with a reason if the shard still has none at `end`.
    package func wait(
        for shard: Int, until end: Instant, _ done: @escaping (_ why: String?) -> Void
    ) {
        waiting[shard, default: []].append(Wait(until: end, done: done))
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
        if waiting.isEmpty { return }
        let now = loop.timerQueue.now
        for shard in waiting.keys.sorted() {
            if location(of: shard) != .nowhere {
                for wait in waiting.removeValue(forKey: shard) ?? [] { wait.done(nil) }
                continue
            }
            let expired = (waiting[shard] ?? []).filter { $0.until <= now }
            guard !expired.isEmpty else { continue }
            waiting[shard]?.removeAll { $0.until <= now }
            for wait in expired { wait.done("no node owns the session at present") }
        }
    }

    // MARK: ShardLeasesDelegate

    package var marks: [Int: HighWaterMark] {
        Dictionary(
            uniqueKeysWithValues: shards.byNumber.keys.compactMap { shard in
                store.shard(shard).lastMark.map { (shard, $0) }
            })
    }

    /// Reads the rows of a shard that this node now owns, and then serves it. `wasReleased` is false if the lease of the
    /// previous owner ended before that owner gave the shard up.
    package func gained(_ shard: Int, wasReleased: Bool) {
        guard let service, !isEnding else { return }
        shardLog.gained(wasReleased: wasReleased)
        restoringShards.insert(shard)
        ShardRows.read(store.shard(shard), rememberedAnswers: Limits().ids) { [weak self] result in
            guard let self, restoringShards.contains(shard) else { return }
            switch result {
            case .failure(let error):
                restoringShards.remove(shard)
                Log.write(.error, .shard, "shard \(shard) cannot be read: \(error.why)")
                store.shard(shard).abandon()
                leases.giveUp(shard)
            case .success(let rows): serve(shard, rows, wasReleased: wasReleased, service)
            }
        }
    }

    /// Restores the sessions of a shard, and answers requests to them from now on. If rows are missing and the operator has not
    /// accepted the loss, the shard is not served.
    private func serve(
        _ shard: Int, _ rows: ShardRows, wasReleased: Bool, _ service: Service
    ) {
        let environment = service.environment
        restoringShards.remove(shard)
        // A drain that was requested while the rows were read begins when this function ends.
        defer { if shardsToDrain.remove(shard) != nil { drain(shard) } }
        // The missing rows as a sentence; nil if the journal is complete.
        let loss = StateDirectory.loss(
            rows.ownedRows.reading.scan, rows.notes.mark, rows.notes.pruned)
        if let loss, !environment.options.store.acceptsLoss {
            Log.write(
                .error, .shard,
                "shard \(shard) is not served: \(loss). Inspect the journal with "
                    + "`gamectl journal check`; --accept-loss continues without the lost rows")
            return
        }
        // Without a release, or with missing rows, it is unknown until when the previous owner fired the timers.
        // `handedOverAt` is then nil. It is also nil if the shard was released before this node began to acquire shards.
        let isHandOver = wasReleased && loss == nil
        let restoredRows = rows.restored
        // The clock begins at the database's time, so that all owners of the shard use the same time. With `isOwnerDriven`, the
        // loop fires its timers only once in each turn; the shard does so before each request.
        let offset = leases.clockOffset ?? .zero
        let clock = LoopClock(
            on: loop, notBefore: rows.ownedRows.lastAlive ?? .zero, offset: offset,
            isOwnerDriven: true)
        clock.setWallClock(environment.options.sessions.zone, showing: loop.now + offset)
        let ownShard = Shard(
            shard, restoredRows,
            Shard.Acquisition(
                handedOverAt: isHandOver
                    ? rows.ownedRows.handOverInstant(since: leases.startTime) : nil,
                earlierSessions: sessionsBeforeStandstill.removeValue(forKey: shard),
                format: StoreCodec.format(of: leases.codec), recordsEveryStart: false,
                isTrusted: { [unowned leases] in leases.isTrusted(shard) }),
            on: clock, environment)
        shards.add(ownShard)
        let mainError = ownShard.begin(service.followers, restoredRows) { [shards] in
            shards.number($0) == shard
        }
        if let mainError { Log.write(.error, .session, "session main is not opened: \(mainError)") }
        recordMove(shard, to: leases.identity)
        for client in clients.values {
            client.watchOfAll.shardAppeared(shard, restoredAt: ownShard.restoredPos)
        }
        resumeWaiting()
        service.journalReads.startNext()
    }

    package func drain(_ shard: Int) {
        if restoringShards.contains(shard) {
            shardsToDrain.insert(shard)
            return
        }
        // There is no ownShard if the shard is not served because rows are missing: nothing has to be drained.
        guard let ownShard = shards.byNumber[shard] else { return leases.giveUp(shard) }
        drainingShards.insert(shard)
        ownShard.drain { [leases, store] in leases.drained(shard, store.shard(shard).lastMark) }
    }

    package func lost(_ shard: Int) {
        shardLog.lost(wasDraining: drainingShards.contains(shard))
        restoringShards.remove(shard)
        shardsToDrain.remove(shard)
        drainingShards.remove(shard)
        shards.remove(shard)?.end()
        store.shard(shard).abandon()
    }

    package func leasesWereRenewed() { for shard in shards.all { shard.leaseWasRenewed() } }

    package func leaseTableWasRead(_ snapshot: LeaseTable.Snapshot) {
        let previousMap = shardMap
        (shardMap, shardMapInstant) = (ShardMap(snapshot), now)
        codecWasRead(snapshot)
        for row in snapshot.rows
        where previousMap.owner(of: row.shard) != shardMap.owner(of: row.shard) {
            if let owner = shardMap.owner(of: row.shard), owner != leases.identity {
                sessionsBeforeStandstill[row.shard] = nil
                recordMove(row.shard, to: owner)
            }
        }
        // A node that has ended does not answer the requests that were sent to it. The end of the link ends the wait for the
        // replies.
        let alive = Set(shardMap.nodes.filter(\.isAlive).map(\.identity))
        for (node, link) in links where !alive.contains(node) {
            linkFaults[node] = nil
            links[node] = nil
            link.end("the node has ended")
        }
        let appeared = alive.subtracting(previousMap.nodes.filter(\.isAlive).map(\.identity))
        for node in appeared.sorted() where node != leases.identity {
            for client in clients.values { client.watchOfAll.nodeAppeared(node) }
        }
        resumeWaiting()
    }

    /// Lets the shards write rows of the format that the store's codec names. Logs once that a switch is possible, and that it
    /// was made.
    private func codecWasRead(_ snapshot: LeaseTable.Snapshot) {
        let format = StoreCodec.format(of: snapshot.codec)
        if rowFormat != format {
            for ownShard in shards.byNumber.values { ownShard.write(format) }
            Log.write(
                .info, .shard,
                "the store was switched: rows are written in format \(format.rawValue)")
        }
        rowFormat = format
        olderNodes = snapshot.nodesWithOlderCodec
        let canSwitch = snapshot.codec < StoreCodec.newest && olderNodes.isEmpty
        if canSwitch, !exchange(&isSwitchReported, with: true) {
            Log.write(
                .info, .shard,
                "every node reads the newest format of rows: `gamectl nodes switch` lets the nodes write it"
            )
        }
    }

    package func switchNodes(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        leases.switchCodec { [weak self] result in
            switch result {
            case .success: done(.success(self?.nodes() ?? []))
            case .failure(.olderNodes):
                let names = self?.olderNodes.joined(separator: ", ") ?? ""
                done(
                    .failure(
                        .storage(
                            why:
                                "these nodes do not read the newest format of rows, and are live or were so "
                                + "in the last 10 minutes: \(names)", outcome: .undone)))
            case .failure(.failed(let why)):
                done(.failure(.storage(why: why, outcome: .unknown)))
            }
        }
    }

    /// Records the owner of a shard. If it is a new owner, adds a move to `recentMoves`.
    private func recordMove(_ shard: Int, to owner: String) {
        let previousOwner = lastOwners[shard] ?? ""
        guard previousOwner != owner else { return }
        lastOwners[shard] = owner
        shardOwnersChanged()
        recentMoves.append(
            ShardMove(shard: shard, from: previousOwner, to: owner, at: loop.timerQueue.now))
        if recentMoves.count > Self.shownMoves { recentMoves.removeFirst() }
    }

    // MARK: what operators see

    package func nodes() -> [Member] {
        let now = loop.timerQueue.now
        // While the database cannot be read, the leases run out nevertheless.
        let mapAgeMs = Int((now - shardMapInstant).milliseconds)
        let digests = Set(shardMap.nodes.filter(\.isAlive).map(\.description.configurationDigest))
        let nodes = shardMap.nodes.filter(\.isAlive).map { node -> Value in
            let ownedShards = shards(of: node.identity)
            return .object([
                Member("node", node.description.name), Member("id", node.identity),
                Member("address", node.description.address),
                Member("self", .bool(node.identity == leases.identity)),
                Member("shards", ownedShards.count),
                Member("leaseMs", node.leaseMs - mapAgeMs),
                Member("rules", node.description.configurationDigest),
                Member("build", node.description.build),
                Member("format", Int(StoreCodec.format(of: node.description.codec).rawValue)),
            ])
        }
        let moves = recentMoves.map { move -> Value in
            .object([
                Member("shard", move.shard), Member("from", name(ofNode: move.from)),
                Member("to", name(ofNode: move.to)),
                Member("agoMs", Int((now - move.at).milliseconds)),
            ])
        }
        return [
            Member("nodes", .array(nodes)), Member("shards", shardCount),
            Member("missing", unservedShardCount),
            Member("skewMs", Int(leases.skew.milliseconds)),
            Member("differ", .bool(digests.count > 1)), Member("moves", .array(moves)),
            Member("format", Int(rowFormat.rawValue)),
            Member("older", .array(rowFormat == .newest ? [] : olderNodes.map { .string($0) })),
            Member("weak", .array(storeWeaknesses.map { .string($0) })),
        ]
    }

    /// Why the database may lose acknowledged changes, as far as is known.
    var storeWeaknesses: [String] { service?.storeSafety.weaknesses ?? [] }

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
        waiting.values.reduce(0) { $0 + $1.count }
            + shards.byNumber.values.reduce(0) { $0 + $1.heldRequests }
    }
    /// For how long a request has waited for a shard that this node owns and does not serve yet, or no longer serves.
    package var longestWaitForOwnShard: Duration {
        if waiting.isEmpty { return .zero }
        let ownWaits = leases.shards.flatMap { waiting[$0] ?? [] }
        // A wait ends `hold` after its beginning.
        return ownWaits.map { now - $0.until + hold }.max() ?? .zero
    }
    /// Whether this node serves a shard, or knows a node that owns one and that can be reached as far as is known.
    package var reachesAnOwner: Bool {
        if shards.byNumber.values.contains(where: \.isServing) { return true }
        let owners = Set((0..<shardCount).compactMap { shardMap.owner(of: $0) })
        return owners.contains { owner in
            owner != leases.identity && isAlive(owner)
                && (linkFaults[owner] == nil || links[owner]?.phase == .ready)
        }
    }
    /// How many shards this node took, lost or handed over since the start.
    package var shardMoves: Int { shardLog.moves }

    // MARK: the end

    /// Called when the daemon ends. Makes all rows durable, gives all shards up, and then calls `done`.
    package func close(_ done: @escaping () -> Void) {
        isEnding = true
        waitTimer.stop()
        secondTimer.stop()
        for link in links.values { link.end("this node ends") }
        links = [:]
        let endingShards = shards.all
        var unfinishedDrains = endingShards.count
        let finish = { [self] in
            guard unfinishedDrains == 0 else { return }
            let marks = self.marks
            for shard in endingShards {
                shards.remove(shard.number)?.end()
                store.shard(shard.number).abandon()
            }
            leases.release(endingShards.map(\.number), marks, done)
        }
        if unfinishedDrains == 0 { return finish() }
        store.collect {
            for shard in endingShards {
                shard.drain {
                    unfinishedDrains -= 1
                    finish()
                }
            }
        }
    }
}
