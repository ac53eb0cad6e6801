import Ownership
import TestSupport

/// Nodes with one database, in virtual time: pauses, partitions, slow and lost messages, and
/// failovers to a server with another clock. The same seed gives the same run.
final class ClusterSimulation {
    let queue = SimulatedTime()
    let database: DatabaseModel
    let fault: PlantedFault?
    let settings: OwnershipSettings
    var random: SeededRandom
    private(set) var nodes: [SimulatedNode] = []
    /// Describes the first violation that was found.
    private(set) var violation: String?
    private(set) var (answers, acknowledgements, takeovers) = (0, 0, 0)
    var skewReports = 0
    private var lastValue = 0
    private var acknowledgedValues: [Set<Int>]
    private var lastProcess: [Int: Int] = [:]
    private var isCalm = false

    init(_ seed: UInt64, nodes count: Int? = nil, shards: Int = 12, _ fault: PlantedFault? = nil) {
        (random, self.fault) = (SeededRandom(seed), fault)
        settings = OwnershipSettings(shards: shards)
        acknowledgedValues = Array(repeating: [], count: shards)
        database = DatabaseModel(
            queue, shards: shards, lease: 3_000_000, fault)
        database.staleInsert = { [unowned self] in
            fail("a process that is no longer the owner inserted a row of shard \($0)")
        }
        nodes = (0..<(count ?? 2 + random.below(4))).map { SimulatedNode($0, in: self) }
    }

    /// The difference that a node measures between the database's clock and its own, in microseconds.
    var skew: Int64 { database.clock - queue.now + Int64(random.below(20_001) - 10_000) }

    func nextValue() -> Int {
        lastValue += 1
        return lastValue
    }

    /// The time that a message takes, in microseconds.
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
                "process \(node.number) answered for shard \(shard), which another one owns"
            )
        }
        if exchange(&lastProcess[shard], with: node.number) != node.number { takeovers += 1 }
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

    /// Runs with faults for `secondsWithFaults`, and then for `secondsWithoutFaults` without faults. At the end the shards must be distributed.
    func run(secondsWithFaults: Int64 = 30, secondsWithoutFaults: Int64 = 25) {
        for node in nodes {
            queue.after(Int64(random.below(1_000_000))) { node.tickPeriodically() }
        }
        scheduleFault(before: secondsWithFaults * 1_000_000)
        queue.run(until: secondsWithFaults * 1_000_000) { violation != nil }
        isCalm = true
        for node in nodes { node.isPartitioned = false }
        // The last pause has ended; within this time leases end, and shards move.
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

    private func scheduleFault(before end: Int64) {
        queue.after(Int64(200_000 + random.below(4_000_000))) { [self] in
            guard queue.now < end - 10_000_000 else { return }
            let node = random.pick(nodes)
            let time = Int64(300_000 + random.below(7_000_000))
            switch random.below(5) {
            case 0, 1: node.pause(forMicroseconds: time)
            case 2, 3:
                node.isPartitioned = true
                queue.after(time) { node.isPartitioned = false }
            default: failOver(Int64(200_000 + random.below(4_000_000)))
            }
            scheduleFault(before: end)
        }
    }

    private func failOver(_ time: Int64) {
        guard database.isUp else { return }
        database.fail { [self] _ in random.below(2) == 0 }
        let clock = Int64(random.below(800_001) - 400_000)
        queue.after(time) { [self] in database.takeOver(clockOffset: clock) }
    }
}
