import Durability
import Journal
import Ownership
import PostgresStore
import Sessions
import TestSupport
import Timers

/// A process of a simulated cluster. The class does the work of the daemon's `ShardLeases` and `ShardRouter`. It connects an
/// `Ownership` with a `PostgresStore`, and with the sessions of the shards that the process owns.
final class NodeProcess {
    let number: Int
    unowned let machine: Machine
    unowned let world: ClusterWorld
    let clock: NodeClock
    private(set) var isDead = false
    private(set) var hosts: [Int: HostedShard] = [:]
    private var ownership: Ownership
    private var store: PostgresStore!
    /// The connection of the store.
    private var link: SimulatedLink!
    /// The connection for the statements of leases.
    private var leaseLink: SimulatedLink!
    /// By how much the database's clock is ahead of the event loop's clock, as measured most recently.
    private var clockDifference: ClockDifference?
    /// The database's time at which the process joined the cluster.
    private var joinedAt: Instant?
    /// The high-water marks of the shards that were drained and are not yet released.
    private var lastMarks: [Int: HighWaterMark] = [:]
    /// Calls `tick` periodically.
    private var pulse: ScopedPendulum?
    /// The shards whose rows are being read.
    private var restoring: Set<Int> = []
    /// When the process wakes next, in microseconds of the simulation.
    private var nextWake: Int64?
    // For the injected faults:
    /// The time for which a lease is trusted although it should not be.
    private var extraTrust = Duration.zero
    /// The uptime of the machine when the newest renewal began.
    private var renewalStart = Duration.zero
    /// The rows of all shards at the most recent reading of the leases.
    private var newestRows: [[JournalRow]]?
    /// The rows of all shards at the second most recent reading of the leases.
    private var earlyRows: [[JournalRow]]?

    init(on machine: Machine, in world: ClusterWorld) {
        (self.machine, self.world, number) = (machine, world, world.nextProcess())
        clock = NodeClock { [unowned machine] in machine.loopTime }
        var settings = OwnershipSettings(shards: world.shards.count)
        if world.fault == .trustBeyondLease { settings.margin = .seconds(-3) }
        let identity = world.fault == .identityIsTheName ? "node" : "node-\(number)"
        ownership = Ownership(NodeIdentity(identity), settings)
        link = SimulatedLink(self, patience: .seconds(5))
        leaseLink = SimulatedLink(self, patience: settings.lease)
        store = PostgresStore(link, owner: identity, hold: world.hold, on: clock)
        store.delegate = self
    }

    func start() {
        store.start()
        leaseLink.start()
        pulse = ScopedPendulum(on: clock, ownership.settings.renewal / 20) { [unowned self] _ in
            tick()
        }
        scheduleWake()
    }

    /// Ends at once, as after kill -9.
    func kill() {
        isDead = true
        pulse = nil
        for host in hosts.values { host.kill() }
        hosts = [:]
        store.stop()
        leaseLink.stop()
    }

    func resetConnections() {
        // A third of the resets lose the messages that are on their way to the server.
        let stall = world.random.below(3) > 0 ? Int64(world.random.below(3_000_000)) : nil
        let reset = ConnectionReset(isNoticed: world.random.below(4) > 0, arrivesAfter: stall)
        link.reset(reset, afterNextSend: world.random.below(4) > 0)
        if world.random.below(2) == 0 { leaseLink.reset(reset, afterNextSend: false) }
    }

    // MARK: turns

    /// Executes work in a turn of the event loop, as soon as the process is not suspended.
    func run(_ work: @escaping () -> Void) {
        machine.run { [weak self] in
            guard let self, !isDead else { return }
            // After a suspension either a timer or a message comes first.
            if world.random.below(2) == 0 { fireDueTimers() }
            work()
            fireDueTimers()
            endTurn()
            scheduleWake()
        }
    }

    private var hostList: [HostedShard] { hosts.sorted { $0.key < $1.key }.map(\.value) }

    private func fireDueTimers() {
        clock.fireDueTimers()
        for host in hostList { host.clock.fireDueTimers() }
    }

    private func endTurn() {
        store.collect { for host in hostList { host.endTurn() } }
    }

    private func scheduleWake() {
        let waits = ([clock] + hostList.map(\.clock)).compactMap(\.untilNext)
        guard let wait = waits.min() else { return }
        let at = world.time.now + max(0, wait.nanoseconds / 1000 + 2)
        if let nextWake, nextWake <= at, nextWake > world.time.now { return }
        nextWake = at
        world.time.after(at - world.time.now) { [weak self] in
            guard let self, nextWake == at else { return }
            nextWake = nil
            run {}
        }
    }

    // MARK: ownership

    func isTrusted(_ shard: Int) -> Bool {
        ownership.trustedUntil(shard).map { machine.uptime < $0 + extraTrust } ?? false
    }

    /// By how much the clocks of the shards' sessions are ahead of the event loop's clock. With this offset, the sessions'
    /// clocks show the database's time.
    var clockOffset: Duration {
        world.fault == .ownClock ? .zero : clockDifference?.estimate ?? .zero
    }

    private func tick() { handle(.tick) }

    private func handle(_ input: Ownership.Input) {
        let actions = ownership.handle(input, at: machine.uptime)
        for action in actions { act(action) }
    }

    private func act(_ action: Ownership.Action) {
        switch action {
        case .renew(let shards): renew(shards)
        case .readRows: readLeases()
        case .acquire(let free): acquire(free)
        case .release(let shard, _): release(shard)
        case .gained(let shard, _, let wasReleased): gained(shard, wasReleased: wasReleased)
        case .lost(let shard): lost(shard)
        case .drain(let shard): drain(shard)
        case .reportSkew: world.counts["clocks that differ"] += 1
        }
    }

    private func renew(_ shards: [Int]) {
        let (owner, marks) = (ownership.node.text, hosts.compactMapValues(\.store.lastMark))
        renewalStart = machine.uptime
        var epochs: [Int: Int] = [:]
        let work = { (transaction: ModelTransaction) throws(ModelTransaction.Interruption) in
            epochs = try transaction.renew(owner, shards, marks)
        }
        leaseLink.execute(work) { [unowned self] isDone in
            if world.fault == .renewalCountedFromItsEnd {
                extraTrust = machine.uptime - renewalStart
            }
            guard isDone else { return handle(.failed) }
            handle(.renewed(epochs))
            for host in hostList { host.leaseWasRenewed() }
        }
    }

    private func readLeases() {
        let (wallBefore, loopTimeBefore) = (machine.wallClock, machine.loopTime - .zero)
        var leaseRows: ModelTransaction.LeaseRows?
        let work = { (transaction: ModelTransaction) throws(ModelTransaction.Interruption) in
            leaseRows = transaction.readLeases()
        }
        leaseLink.execute(work) { [unowned self] isDone in
            guard isDone, let leaseRows else { return handle(.failed) }
            if world.fault == .restoredBeforeAcquired {
                (earlyRows, newestRows) = (newestRows, world.database.tables.rows)
            }
            let skew = ClockDifference(
                remote: leaseRows.time, before: wallBefore, after: machine.wallClock)
            clockDifference = ClockDifference(
                remote: leaseRows.time, before: loopTimeBefore, after: machine.loopTime - .zero,
                previous: clockDifference)
            if joinedAt == nil { joinedAt = machine.loopTime + clockOffset }
            handle(
                .rowsRead(
                    LeaseSnapshot(
                        shards: leaseRows.shards, nodes: leaseRows.nodes, skew: skew.certainPart,
                        timeline: leaseRows.timeline)))
        }
    }

    private func acquire(_ free: [FreeShard]) {
        let claims = free.map {
            ShardClaim($0.shard, epoch: $0.row.epoch, leaseEnd: $0.row.leaseEnd)
        }
        store.acquire(claims, lease: ownership.settings.lease) { [unowned self] result in
            handle((try? result.get()).map { .acquired($0) } ?? .failed)
        }
    }

    private func release(_ shard: Int) {
        let (owner, mark) = (ownership.node.text, lastMarks.removeValue(forKey: shard))
        let work = { (transaction: ModelTransaction) throws(ModelTransaction.Interruption) in
            try transaction.release(owner, shard, mark)
        }
        leaseLink.execute(work) { [unowned self] isDone in
            handle(isDone ? .released : .failed)
            tick()
        }
    }

    // MARK: shards

    private func gained(_ shard: Int, wasReleased: Bool) {
        restoring.insert(shard)
        AcquiredRows.read(store.shard(shard), earlyRows?[shard]) { [weak self] result in
            guard let self, restoring.remove(shard) != nil else { return }
            switch result {
            case .failure:
                store.shard(shard).abandon()
                handle(.fenced(shard: shard))
            case .success(let rows):
                world.check { () throws(InvariantViolation) in try rows.check(shard) }
                let handedOverAt = wasReleased ? rows.owned.handOverInstant(since: joinedAt) : nil
                hosts[shard] = HostedShard(shard, rows, handedOverAt: handedOverAt, self)
                world.counts[handedOverAt == nil ? "takeovers" : "hand-overs"] += 1
            }
        }
    }

    private func lost(_ shard: Int) {
        restoring.remove(shard)
        guard let host = hosts.removeValue(forKey: shard) else {
            return store.shard(shard).abandon()
        }
        host.end()
    }

    private func drain(_ shard: Int) {
        let done = { [unowned self] in
            lastMarks[shard] = hosts[shard]?.store.lastMark
            handle(.drained(shard: shard))
            tick()
        }
        guard let host = hosts[shard] else { return done() }
        host.drain(done)
    }
}

extension NodeProcess: PostgresStoreDelegate {
    func storeIsConnected() {}
    func storeIsDisconnected(why: String, isFatal: Bool) {}
    func storeHasResumed() {}
    func shardWasFenced(_ shard: Int) { handle(.fenced(shard: shard)) }
    func holdHasEnded(why: String) { world.counts["holds that ended"] += 1 }
}
