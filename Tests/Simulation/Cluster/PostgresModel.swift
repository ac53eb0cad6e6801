import Journal
import Ownership
import PostgresStore
import TestSupport

/// A model of PostgreSQL with a synchronous standby. The model has these parts:
/// - the tables of shards, nodes and rows
/// - database sessions, one for each connection
/// - transactions with locks
/// - failovers to a server with another clock
///
/// When the server dies, the standby has all answered transactions and some of the open transactions.
final class PostgresModel {
    /// A row of `gamed_shard`.
    struct Shard {
        /// The identity of the node that owns the shard; empty if no node does.
        var owner = ""
        /// The number of the simulated process that has acquired the shard. Only the checks use this number; the real table
        /// does not have it.
        var process = 0
        /// Increases with each takeover, so that the rows of earlier owners are refused.
        var epoch = 0
        /// The number of the database session that writes for the owner.
        var backend = 0
        /// The end of the owner's lease, in microseconds since 1970; 0 if the shard was released.
        var leaseEnd: Int64 = 0
        /// The position and the time of the newest high-water mark that an owner has stored.
        var markPosition = 0
        var markAtNs = 0
    }

    /// The content of the tables.
    struct Tables {
        var shards: [Shard]
        /// The journal rows of each shard.
        var rows: [[JournalRow]]
        /// The end of each node's lease, in microseconds since 1970, by the node's identity.
        var nodes: [String: Int64] = [:]
    }

    /// The virtual time of the simulation, in microseconds.
    let time: SimulatedTime
    let fault: ClusterFault?
    private(set) var tables: Tables
    /// The rows of each shard, indexed for the checks.
    private(set) var journals: [JournalReader]
    /// Whether a server is running; false between its end and the takeover of the standby.
    private(set) var isUp = true
    /// Whether the disk has no space for further rows.
    var isFull = false
    /// The timeline of PostgreSQL's log, which increases with each failover.
    private(set) var timeline = 1
    /// By how much the present server's clock is ahead of the first server's, in microseconds.
    private var clockOffset: Int64 = 0
    private var transactionCount = 0
    /// The transactions that are not yet committed or rolled back, by number.
    private(set) var openTransactions: [Int: ModelTransaction] = [:]
    /// The open database sessions, by number.
    private var backends: [Int: Backend] = [:]
    private var backendCount = 0
    /// The tables before each commit of the most recent 400 ms, for the injected fault `asynchronousStandby`.
    private var earlierTables: [(time: Int64, tables: Tables)] = []
    /// Called with a sentence about a violation that a real database could not notice.
    var violated: (String) -> Void = { _ in }
    /// Returns how long the commit of a transaction takes, in microseconds.
    var commitTime: () -> Int64 = { 1000 }

    /// 2023-11-14, in microseconds since 1970.
    static let start: Int64 = 1_700_000_000_000_000
    /// The length of a lease, in microseconds.
    static let lease: Int64 = 3_000_000

    init(_ time: SimulatedTime, shards: Int, _ fault: ClusterFault?) {
        (self.time, self.fault) = (time, fault)
        tables = Tables(
            shards: Array(repeating: Shard(), count: shards),
            rows: Array(repeating: [], count: shards))
        journals = Array(repeating: JournalReader(), count: shards)
    }

    /// The server's clock, in microseconds since 1970.
    var clock: Int64 { Self.start + time.now + clockOffset }

    // MARK: sessions

    /// Opens a database session for a process. `ended` is called when the server ends the session.
    func connect(_ process: Int, _ ended: @escaping () -> Void) -> Backend {
        backendCount += 1
        let backend = Backend(backendCount, of: process, self, ended)
        backends[backendCount] = backend
        return backend
    }

    /// Ends a database session: its transaction is rolled back.
    func terminate(_ number: Int) {
        guard let backend = backends.removeValue(forKey: number) else { return }
        backend.isAlive = false
        for transaction in openTransactions.values where transaction.backend === backend {
            openTransactions[transaction.number] = nil
        }
        backend.ended()
    }

    // MARK: transactions

    func begin(_ backend: Backend) -> ModelTransaction {
        transactionCount += 1
        let transaction = ModelTransaction(transactionCount, backend, self)
        openTransactions[transactionCount] = transaction
        return transaction
    }

    func rollBack(_ transaction: ModelTransaction) { openTransactions[transaction.number] = nil }

    /// Commits after some time, and then calls `done`; does neither if the transaction was rolled back before.
    func commit(_ transaction: ModelTransaction, _ done: @escaping () -> Void) {
        time.after(commitTime()) { [self] in
            guard openTransactions[transaction.number] === transaction else { return }
            apply(transaction)
            done()
        }
    }

    private func apply(_ transaction: ModelTransaction) {
        openTransactions[transaction.number] = nil
        if fault == .asynchronousStandby {
            earlierTables.append((time.now, tables))
            earlierTables.removeAll { $0.time < time.now - 400_000 }
        }
        for change in transaction.changes { change(self) }
    }

    /// Whether another open transaction has a lock on the shard that conflicts with `mode`.
    func isLocked(_ shard: Int, _ mode: ModelTransaction.Lock, for transaction: ModelTransaction)
        -> Bool
    {
        openTransactions.values.contains { other in
            guard other !== transaction, let held = other.locks[shard] else { return false }
            // Two shared locks do not conflict. An append has a shared lock, and a takeover an exclusive one.
            guard held != mode else { return mode == .exclusive }
            return fault != .weakLock
        }
    }

    // MARK: changes of committed transactions

    func change(_ shard: Int, _ work: (inout Shard) -> Void) { work(&tables.shards[shard]) }

    func setNode(_ node: String, _ leaseEnd: Int64) { tables.nodes[node] = leaseEnd }

    /// Inserts rows of a process. A violation is reported if the process does not own the shard, or if a row is from the
    /// future.
    func insert(_ rows: [JournalRow], _ shard: Int, by process: Int) {
        if tables.shards[shard].process != process {
            violated(
                "process \(process), which is not the owner, has inserted rows of shard \(shard)")
        }
        for row in rows {
            if row.atNs / 1000 > clock + Self.greatestLead {
                violated(
                    "row \(row.position) of shard \(shard) is \(row.atNs / 1000 - clock) µs ahead of the database's time"
                )
            }
            tables.rows[shard].append(row)
            journals[shard].add(row)
        }
    }

    /// By how much an owner's clock may be ahead of the database's clock, in microseconds. This is half of the time of the
    /// slowest reading of the leases, plus the difference between two servers' clocks.
    private static let greatestLead: Int64 = 2_500_000

    func remove(after position: Int, _ shard: Int) {
        guard tables.rows[shard].contains(where: { $0.position > position }) else { return }
        tables.rows[shard].removeAll { $0.position > position }
        rebuildJournal(shard)
    }

    private func rebuildJournal(_ shard: Int) {
        journals[shard] = JournalReader()
        for row in tables.rows[shard] { journals[shard].add(row) }
    }

    // MARK: failover

    /// The server dies. `isReplicated` is called for each open transaction, and returns whether the standby has it.
    /// `isClientTold` is called for each database session, and returns whether its client notices the end.
    func fail(isReplicated: () -> Bool, isClientTold: () -> Bool) {
        isUp = false
        for (_, transaction) in openTransactions.sorted(by: { $0.key < $1.key })
        where isReplicated() {
            apply(transaction)
        }
        openTransactions = [:]
        for (_, backend) in backends.sorted(by: { $0.key < $1.key }) {
            backend.isAlive = false
            if isClientTold() { backend.ended() }
        }
        backends = [:]
        // The standby lacks the newest transactions.
        guard fault == .asynchronousStandby, let old = earlierTables.first else { return }
        tables = old.tables
        for shard in tables.rows.indices { rebuildJournal(shard) }
    }

    /// The standby takes over, with another clock.
    func takeOver(clockOffset: Int64) {
        isUp = true
        timeline += 1
        self.clockOffset = clockOffset
    }
}
