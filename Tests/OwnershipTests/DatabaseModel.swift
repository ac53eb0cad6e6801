import Ownership
import TestSupport

/// A model of the database: rows of shards with locks, a log for each shard, transactions that are
/// still open, and a failover.
final class DatabaseModel {
    struct Row {
        var owner: NodeIdentity?
        /// Which process has acquired it, which the database does not know.
        var process: Int?
        var epoch = 0
        var leaseEnd: Int64 = 0
        /// The appends that hold a lock on the row.
        var locks: Set<Int> = []

        var snapshot: LeaseSnapshot.Shard {
            LeaseSnapshot.Shard(owner: owner, epoch: epoch, leaseEnd: leaseEnd)
        }
    }

    private let queue: SimulatedTime
    private let fault: PlantedFault?
    private let lease: Int64
    private(set) var rows: [Row]
    private var nodes: [NodeIdentity: Int64] = [:]
    /// The values of each shard's log.
    private(set) var log: [[Int]]
    private(set) var isUp = true
    private(set) var timeline = 1
    private var clockOffset: Int64 = 0
    private var transactions = 0
    private var open: Set<Int> = []
    /// Called when a row was inserted by a process that is no longer the owner.
    var staleInsert: (_ shard: Int) -> Void = { _ in }

    init(_ queue: SimulatedTime, shards: Int, lease: Int64, _ fault: PlantedFault?) {
        (self.queue, self.lease, self.fault) = (queue, lease, fault)
        rows = Array(repeating: Row(), count: shards)
        log = Array(repeating: [], count: shards)
    }

    var clock: Int64 { queue.now + clockOffset }

    // MARK: statements

    func leaseSnapshot(skew: Int64) -> LeaseSnapshot {
        LeaseSnapshot(
            shards: rows.map(\.snapshot),
            nodes: nodes.filter { $0.value >= clock }.map(\.key).sorted(),
            skew: .microseconds(skew), timeline: timeline)
    }

    func renew(_ node: NodeIdentity, _ shards: [Int]) -> [Int: Int] {
        nodes[node] = clock + lease
        var epochs: [Int: Int] = [:]
        for shard in shards where rows[shard].owner == node {
            rows[shard].leaseEnd = clock + lease
            epochs[shard] = rows[shard].epoch
        }
        return epochs
    }

    /// Acquires what is free, after the appends that hold a lock; at the latest after a second,
    /// when they are ended.
    func acquire(
        _ node: NodeIdentity, _ process: Int, _ free: [FreeShard], waited: Int64 = 0,
        _ done: @escaping ([Int: Int]) -> Void
    ) {
        if fault != .weakLock, free.contains(where: { !rows[$0.shard].locks.isEmpty }) {
            if waited > 1_000_000 {
                for freeShard in free { endLocks(of: freeShard.shard) }
            } else {
                queue.after(20_000) { [self] in
                    acquire(node, process, free, waited: waited + 20_000, done)
                }
                return
            }
        }
        var epochs: [Int: Int] = [:]
        for freeShard in free where isUp && mayAcquire(node, freeShard) {
            rows[freeShard.shard].owner = node
            rows[freeShard.shard].process = process
            if fault != .epochKept { rows[freeShard.shard].epoch += 1 }
            rows[freeShard.shard].leaseEnd = clock + lease
            epochs[freeShard.shard] = rows[freeShard.shard].epoch
        }
        done(epochs)
    }

    private func mayAcquire(_ node: NodeIdentity, _ free: FreeShard) -> Bool {
        let row = rows[free.shard]
        if row.owner == nil || row.owner == node { return true }
        let isSeen = fault == .databaseClockAlone || row.snapshot == free.row
        return isSeen && row.leaseEnd < clock
    }

    private func endLocks(of shard: Int) {
        open.subtract(rows[shard].locks)
        rows[shard].locks = []
    }

    func release(_ node: NodeIdentity, _ shard: Int, _ epoch: Int) {
        guard rows[shard].owner == node, rows[shard].epoch == epoch else { return }
        rows[shard].owner = nil
    }

    enum AppendOutcome { case kept, fenced }

    /// Begins an append, which is committed after some time. There is no answer if it is ended
    /// before.
    func append(
        _ value: Int, to shard: Int, _ epoch: Int, by process: Int, takes time: Int64,
        _ done: @escaping (AppendOutcome) -> Void
    ) {
        guard fault == .noFence || rows[shard].epoch == epoch else { return done(.fenced) }
        transactions += 1
        let number = transactions
        open.insert(number)
        rows[shard].locks.insert(number)
        queue.after(time) { [self] in
            guard open.remove(number) != nil else { return }
            rows[shard].locks.remove(number)
            if rows[shard].process != process { staleInsert(shard) }
            log[shard].append(value)
            done(.kept)
        }
    }

    /// Gives the present owner a new epoch, and tells whether a value is in the log. It waits for
    /// appends of the owner's earlier connection.
    func resume(
        _ node: NodeIdentity, _ shard: Int, _ epoch: Int, andLookFor value: Int,
        _ done: @escaping (_ epoch: Int?, _ isThere: Bool) -> Void
    ) {
        let isWeak = fault == .weakLock || fault == .resumedUnderTheSameEpoch
        guard rows[shard].locks.isEmpty || isWeak else {
            return queue.after(20_000) { [self] in
                resume(node, shard, epoch, andLookFor: value, done)
            }
        }
        guard isUp, rows[shard].owner == node, rows[shard].epoch == epoch else {
            return done(nil, false)
        }
        if fault != .resumedUnderTheSameEpoch { rows[shard].epoch += 1 }
        done(rows[shard].epoch, log[shard].contains(value))
    }

    // MARK: failover

    /// The server dies. Some of the open transactions are committed, and no client gets an answer.
    func fail(keeping keeps: (Int) -> Bool) {
        isUp = false
        open = open.filter(keeps)
    }

    /// Another server takes over, with another clock.
    func takeOver(clockOffset: Int64) {
        isUp = true
        timeline += 1
        self.clockOffset = clockOffset
        for shard in rows.indices { endLocks(of: shard) }
    }
}
