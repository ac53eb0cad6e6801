import Ownership
import TestSupport

/// A model of the database: rows of shards with locks, a log for each shard, open transactions, and a
/// failover. Times are in microseconds.
final class DatabaseModel {
    struct Row {
        var owner: NodeIdentity?
        /// The number of the simulated node that has acquired the shard. Only the checks use this number; a real database does
        /// not have it.
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
    private let fault: OwnershipFault?
    /// The length of a lease, in microseconds.
    private let lease: Int64
    private(set) var rows: [Row]
    /// The ends of the nodes' own leases. A node counts as live until its lease has ended.
    private var nodeLeaseEnds: [NodeIdentity: Int64] = [:]
    /// The values of each shard's log.
    private(set) var log: [[Int]]
    private(set) var isUp = true
    /// The number of the present server: 1 for the first server, and 1 more after each failover.
    private(set) var timeline = 1
    private var clockOffset: Int64 = 0
    private var transactionCount = 0
    /// The numbers of the appends that are not committed yet.
    private var openAppends: Set<Int> = []
    /// Called when a process that is no longer the owner has inserted a row.
    var onStaleInsert: (_ shard: Int) -> Void = { _ in }

    init(_ queue: SimulatedTime, shards: Int, lease: Int64, _ fault: OwnershipFault?) {
        (self.queue, self.lease, self.fault) = (queue, lease, fault)
        rows = Array(repeating: Row(), count: shards)
        log = Array(repeating: [], count: shards)
    }

    /// The server's clock.
    var clock: Int64 { queue.now + clockOffset }

    // MARK: statements

    func leaseSnapshot(skew: Int64) -> LeaseSnapshot {
        LeaseSnapshot(
            shards: rows.map(\.snapshot),
            nodes: nodeLeaseEnds.filter { $0.value >= clock }.map(\.key).sorted(),
            skew: .microseconds(skew), timeline: timeline)
    }

    /// Renews the node's own lease, and the leases of these shards where the node is the owner. Returns the epochs of these
    /// shards.
    func renew(_ node: NodeIdentity, _ shards: [Int]) -> [Int: Int] {
        nodeLeaseEnds[node] = clock + lease
        var epochs: [Int: Int] = [:]
        for shard in shards where rows[shard].owner == node {
            rows[shard].leaseEnd = clock + lease
            epochs[shard] = rows[shard].epoch
        }
        return epochs
    }

    /// Acquires the shards of `free` that the node may acquire. Calls `done` with the new epochs of these shards. First waits
    /// for the appends that hold a lock on a shard of `free`; after a second, aborts the appends. `waited` is the time that the
    /// call has waited so far.
    func acquire(
        _ node: NodeIdentity, _ process: Int, _ free: [FreeShard], waited: Int64 = 0,
        _ done: @escaping ([Int: Int]) -> Void
    ) {
        if fault != .weakLock, free.contains(where: { !rows[$0.shard].locks.isEmpty }) {
            if waited > 1_000_000 {
                for freeShard in free { abortAppends(to: freeShard.shard) }
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

    /// `free.row` is the shard's row as the node has read it.
    private func mayAcquire(_ node: NodeIdentity, _ free: FreeShard) -> Bool {
        let row = rows[free.shard]
        if row.owner == nil || row.owner == node { return true }
        let isUnchanged = fault == .databaseClockAlone || row.snapshot == free.row
        return isUnchanged && row.leaseEnd < clock
    }

    private func abortAppends(to shard: Int) {
        openAppends.subtract(rows[shard].locks)
        rows[shard].locks = []
    }

    func release(_ node: NodeIdentity, _ shard: Int, _ epoch: Int) {
        guard rows[shard].owner == node, rows[shard].epoch == epoch else { return }
        rows[shard].owner = nil
    }

    enum AppendOutcome { case committed, fenced }

    /// Begins an append, which is committed after `time`. If it is aborted before, `done` is not called.
    func append(
        _ value: Int, to shard: Int, _ epoch: Int, by process: Int, takes time: Int64,
        _ done: @escaping (AppendOutcome) -> Void
    ) {
        guard fault == .noFence || rows[shard].epoch == epoch else { return done(.fenced) }
        transactionCount += 1
        let number = transactionCount
        openAppends.insert(number)
        rows[shard].locks.insert(number)
        queue.after(time) { [self] in
            guard openAppends.remove(number) != nil else { return }
            rows[shard].locks.remove(number)
            if rows[shard].process != process { onStaleInsert(shard) }
            log[shard].append(value)
            done(.committed)
        }
    }

    /// Gives the present owner a new epoch, and looks for a value in the log. First waits for the owner's open appends. `done`
    /// gets the new epoch; nil if the node is no longer the owner under `epoch`, or if the server is down.
    func resume(
        _ node: NodeIdentity, _ shard: Int, _ epoch: Int, andLookFor value: Int,
        _ done: @escaping (_ epoch: Int?, _ isThere: Bool) -> Void
    ) {
        let ignoresLocks = fault == .weakLock || fault == .resumedUnderTheSameEpoch
        guard rows[shard].locks.isEmpty || ignoresLocks else {
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

    /// The server dies. An open append whose number `keeps` accepts can still be committed until another server takes over. All
    /// other open appends are aborted.
    func fail(keeping keeps: (Int) -> Bool) {
        isUp = false
        openAppends = openAppends.filter(keeps)
    }

    /// Another server takes over, with another clock.
    func takeOver(clockOffset: Int64) {
        isUp = true
        timeline += 1
        self.clockOffset = clockOffset
        for shard in rows.indices { abortAppends(to: shard) }
    }
}
