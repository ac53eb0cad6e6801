import Ownership
import TestSupport

/// Nodes with one database, in virtual time: pauses, partitions, slow and lost messages, and
/// failovers to a server with another clock. The same seed gives the same run.
final class ClusterSimulation {
    let queue = SimulatedTime()
    let database: DatabaseModel
    /// A defect of the ownership or of the database, which is injected for the whole run. A test shows that the checks find the
    /// defect. If nil, the run must have no violation.
    let injectedFault: OwnershipFault?
    let settings: OwnershipSettings
    var random: SeededRandom
    private(set) var nodes: [SimulatedNode] = []
    /// Describes the first violation that was found.
    private(set) var violation: String?
    /// The number of answered requests, the number of acknowledged appends, and how often another node than before answered for
    /// a shard.
    private(set) var (answers, acknowledgements, takeovers) = (0, 0, 0)
    /// The number of times that a node reported that its clock differs too much from the database's.
    var skewReports = 0
    private var newestValue = 0
    /// The values of each shard that a node has acknowledged to its clients.
    private var acknowledgedValues: [Set<Int>]
    /// The number of the node that has most recently answered for each shard.
    private var newestAnswerer: [Int: Int] = [:]
    /// Whether the phase without faults has begun.
    private var isCalm = false

    init(
        _ seed: UInt64, nodes count: Int? = nil, shards: Int = 12,
        _ injectedFault: OwnershipFault? = nil
    ) {
        (random, self.injectedFault) = (SeededRandom(seed), injectedFault)
        settings = OwnershipSettings(shards: shards)
        acknowledgedValues = Array(repeating: [], count: shards)
        database = DatabaseModel(
            queue, shards: shards, lease: 3_000_000, injectedFault)
        database.onStaleInsert = { [unowned self] in
            fail("a process that is no longer the owner inserted a row of shard \($0)")
        }
        nodes = (0..<(count ?? 2 + random.below(4))).map { SimulatedNode($0, in: self) }
    }

    /// The difference that a node measures between the database's clock and its own, in microseconds.
    var skew: Int64 { database.clock - queue.now + Int64(random.below(20_001) - 10_000) }

    /// A value for an append; no other append has the same value.
    func nextValue() -> Int {
        newestValue += 1
        return newestValue
    }

    /// The time that a message between a node and the database takes, in microseconds.
    func delay(isPartitioned: Bool = false) -> Int64 {
        if isPartitioned, random.below(3) == 0 { return Int64(random.below(6_000_000)) }
        if !isCalm, random.below(40) == 0 { return Int64(random.below(1_900_000)) }
        return Int64(200 + random.below(3000))
    }

    private func fail(_ why: String) {
        if violation == nil { violation = "after \(queue.now / 1000) ms: \(why)" }
    }

    // MARK: checks

    /// Checks that a node that answers a request of a shard is the owner.
    func checkAnswer(_ shard: Int, by node: SimulatedNode) {
        answers += 1
        if database.rows[shard].process != node.number {
            fail(
                "process \(node.number) answered for shard \(shard), which another process owns"
            )
        }
        if exchange(&newestAnswerer[shard], with: node.number) != node.number { takeovers += 1 }
    }

    /// Records that a node has acknowledged a value, and checks that the value is in the log.
    func acknowledged(_ value: Int, _ shard: Int) {
        acknowledgements += 1
        acknowledgedValues[shard].insert(value)
        if !database.log[shard].contains(value) {
            fail("an append to shard \(shard) was acknowledged before it was committed")
        }
    }

    private func checkLogs() {
        for (shard, log) in database.log.enumerated() {
            if Set(log).count != log.count { fail("a row of shard \(shard) is there twice") }
            if !acknowledgedValues[shard].isSubset(of: log) {
                fail("an acknowledged row of shard \(shard) is lost")
            }
        }
    }

    // MARK: a run

    /// Runs with faults for `secondsWithFaults`, and then for `secondsWithoutFaults` without faults. At the end, the numbers of
    /// shards of any two nodes must differ by at most one.
    func run(secondsWithFaults: Int64 = 30, secondsWithoutFaults: Int64 = 25) {
        for node in nodes {
            queue.after(Int64(random.below(1_000_000))) { node.tickPeriodically() }
        }
        scheduleFault(before: secondsWithFaults * 1_000_000)
        queue.run(until: secondsWithFaults * 1_000_000) { violation != nil }
        isCalm = true
        for node in nodes { node.isPartitioned = false }
        // All pauses have ended. The time without faults is long enough for leases to end and for shards to move.
        queue.run(until: (secondsWithFaults + secondsWithoutFaults) * 1_000_000) {
            violation != nil
        }
        checkLogs()
        checkBalance()
    }

    private func checkBalance() {
        let counts = nodes.map(\.ownership.shards.count)
        let total = counts.reduce(0, +)
        guard violation == nil else { return }
        if total != database.rows.count || (counts.max() ?? 0) - (counts.min() ?? 0) > 1 {
            fail("the shards are distributed as \(counts)")
        }
    }

    /// Schedules a random fault. When this fault begins, the next fault is scheduled. No fault begins in the last 10 s before
    /// `end`, so that all faults end before `end`.
    private func scheduleFault(before end: Int64) {
        queue.after(Int64(200_000 + random.below(4_000_000))) { [self] in
            guard queue.now < end - 10_000_000 else { return }
            let node = random.pick(nodes)
            let duration = Int64(300_000 + random.below(7_000_000))
            switch random.below(5) {
            case 0, 1: node.pause(forMicroseconds: duration)
            case 2, 3:
                node.isPartitioned = true
                queue.after(duration) { node.isPartitioned = false }
            default: failOver(downFor: Int64(200_000 + random.below(4_000_000)))
            }
            scheduleFault(before: end)
        }
    }

    /// The database's server dies, and after `downTime` another server, whose clock is up to 400 ms wrong, takes over. With the
    /// fault `databaseClockAlone` its clock is up to 2 s wrong, so that a few runs show the fault.
    private func failOver(downFor downTime: Int64) {
        guard database.isUp else { return }
        // Half of the open appends can still be committed.
        database.fail(keeping: { [self] _ in random.below(2) == 0 })
        let largest = injectedFault == .databaseClockAlone ? 2_000_000 : 400_000
        let clockOffset = Int64(random.below(2 * largest + 1) - largest)
        queue.after(downTime) { [self] in database.takeOver(clockOffset: clockOffset) }
    }
}
