import GameFlow
import Journal
import Ownership
import Sessions
import TestSupport

/// A simulation of several nodes with one database, in virtual time. A seed determines the simulation. These parts of the
/// daemon run on a model of the database: the ownership, the store for PostgreSQL, and the sessions of the shards. The
/// simulation checks each reply, and at the end the rows.
public final class ClusterWorld {
    /// The virtual time, in microseconds.
    let time = SimulatedTime()
    let fault: ClusterFault?
    let flows = SimulatedFlows(.first)
    let database: PostgresModel
    private(set) var shards: [ShardUnderTest] = []
    private(set) var machines: [Machine] = []
    var random: SeededRandom
    /// How long a node's rows wait for a new connection to the database; after this time their outcomes are unknown.
    let hold: Duration
    public internal(set) var counts = Counts()
    /// The number of processes that were started.
    private var processCount = 0
    /// Whether the part of the run without faults has begun.
    private var isWithoutFaults = false
    /// The first violation, which ends the run.
    private var violation: InvariantViolation?

    /// Three machines and four shards.
    private static let (machineCount, shardCount) = (3, 4)
    /// The length of the part of a run with faults, and of the part without faults that follows.
    private static let (secondsWithFaults, secondsWithoutFaults): (Int64, Int64) = (25, 16)

    public init(seed: UInt64, _ fault: ClusterFault? = nil) {
        (random, self.fault) = (SeededRandom(seed), fault)
        hold = random.below(3) == 0 ? .seconds(2) : .seconds(30)
        database = PostgresModel(time, shards: Self.shardCount, fault)
        database.violated = { [unowned self] in fail(InvariantViolation($0)) }
        database.commitTime = { [unowned self] in commitTime() }
        shards = (0..<Self.shardCount).map { ShardUnderTest($0, Self.names(of: $0), in: self) }
        machines = (1...Self.machineCount).map { Machine($0, in: self) }
    }

    /// Two names of sessions in a shard.
    private static func names(of shard: Int) -> [String] {
        let all = (0..<100).map { "s\($0)" }
        let inShard = all.filter { ShardOfSession.shard(of: $0, shards: shardCount) == shard }
        return Array(inShard.prefix(2))
    }

    // MARK: a run

    /// Runs the cluster with faults and then without faults. Checks each reply, and at the end the rows.
    public func run() throws(InvariantViolation) {
        for machine in machines { machine.startProcess() }
        for shard in shards { sendRequests(shard) }
        scheduleFault()
        try run(seconds: Self.secondsWithFaults)
        isWithoutFaults = true
        for machine in machines { machine.isCut = false }
        try run(seconds: Self.secondsWithoutFaults)
        try checkShards()
        counts["seeds"] += 1
        for machine in machines { machine.process.kill() }
    }

    private func run(seconds: Int64) throws(InvariantViolation) {
        time.run(until: time.now + seconds * 1_000_000) { violation != nil }
        if let violation { throw violation }
    }

    /// Whether a new fault may begin. A fault takes at most 6.5 s, and must end before the part without faults.
    private var mayHaveFaults: Bool { time.now < (Self.secondsWithFaults - 8) * 1_000_000 }

    /// Sends requests about a shard again and again. At the end only requests with an unknown outcome are repeated.
    private func sendRequests(_ shard: ShardUnderTest) {
        time.after(Int64(20_000 + random.below(300_000))) { [self] in
            let seconds = Self.secondsWithFaults + Self.secondsWithoutFaults
            shard.sendRequest(onlyRepeats: time.now > (seconds - 6) * 1_000_000)
            sendRequests(shard)
        }
    }

    /// Checks each shard. A shard that is being handed over gets a second to become served.
    private func checkShards() throws(InvariantViolation) {
        for shard in shards {
            var host = shard.host
            for _ in 0..<40 where host == nil {
                try run(milliseconds: 25)
                host = shard.host
            }
            guard let host else {
                throw InvariantViolation("shard \(shard.number) is not served at the end")
            }
            try shard.check(host)
            counts.add(shard.oracle.counts)
            counts["rows"] += shard.rows.count
        }
    }

    private func run(milliseconds: Int64) throws(InvariantViolation) {
        time.run(until: time.now + milliseconds * 1000) { violation != nil }
        if let violation { throw violation }
    }

    /// Returns the number of a new process.
    func nextProcess() -> Int {
        processCount += 1
        return processCount
    }

    // MARK: times

    /// The time that a message takes, in microseconds.
    func delay() -> Int64 {
        if !isWithoutFaults, random.below(30) == 0 { return Int64(random.below(1_200_000)) }
        return Int64(200 + random.below(3000))
    }

    /// The time that a commit takes, in microseconds.
    private func commitTime() -> Int64 {
        guard !isWithoutFaults else { return 2000 }
        switch random.below(100) {
        // A stalled transaction holds its locks.
        case 0: return Int64(random.below(6_000_000))
        case 1..<8: return Int64(random.below(400_000))
        default: return Int64(500 + random.below(4000))
        }
    }

    // MARK: faults

    private func scheduleFault() {
        time.after(Int64(200_000 + random.below(2_500_000))) { [self] in
            guard mayHaveFaults else { return }
            makeFault(random.pick(machines), faultLength())
            scheduleFault()
        }
    }

    /// A random length in microseconds; half of them are longer than a lease.
    private func faultLength() -> Int64 {
        Int64(random.below(2) == 0 ? random.below(3_000_000) : 3_500_000 + random.below(3_000_000))
    }

    /// Begins a random fault of a machine or of the database. A fault that lasts some time ends after `length` microseconds, or
    /// after a part of this time.
    private func makeFault(_ machine: Machine, _ length: Int64) {
        switch random.below(8) {
        case 0:
            counts["suspensions"] += 1
            machine.pause(for: length)
        case 1:
            counts["partitions"] += 1
            machine.isCut = true
            time.after(length) { machine.isCut = false }
        case 2, 3:
            counts["connections reset"] += 1
            machine.process.resetConnections()
        case 4:
            counts["kills"] += 1
            machine.kill()
            time.after(length) { machine.startProcess() }
        case 5:
            counts["full disks"] += 1
            database.isFull = true
            time.after(length / 4) { [self] in database.isFull = false }
        default: failOver(length / 2)
        }
    }

    /// The server dies, and `length` microseconds later the standby takes over.
    private func failOver(_ length: Int64) {
        guard database.isUp else { return }
        counts["failovers"] += 1
        database.fail(
            isReplicated: { random.below(2) == 0 }, isClientTold: { random.below(4) > 0 })
        let clockOffset = Int64(random.below(600_001) - 300_000)
        time.after(length) { [self] in database.takeOver(clockOffset: clockOffset) }
    }

    /// The sessions that were read at a takeover, changed by the injected fault.
    func withInjectedFault(_ content: Sessions.JournalContent, downtime: Duration)
        -> Sessions.JournalContent
    {
        switch fault {
        case .relativeDeadlines:
            InjectedFault.relativeDeadlines.applied(to: content, downtime: downtime)
        case .idsForgotten: InjectedFault.idsForgotten.applied(to: content, downtime: downtime)
        default: content
        }
    }

    // MARK: checks

    /// Calls `work`; if it throws, the violation ends the run.
    func check(_ work: () throws(InvariantViolation) -> Void) {
        do throws(InvariantViolation) { try work() } catch { fail(error) }
    }

    private func fail(_ error: InvariantViolation) {
        guard violation == nil else { return }
        violation = InvariantViolation("after \(time.now / 1000) ms: \(error.message)")
    }

    /// Records that a process executes a request about a shard or fires a timer of one of its sessions. Checks that the process
    /// is the owner.
    func recordAct(_ shard: Int, by process: NodeProcess) {
        counts["acts"] += 1
        let owner = database.tables.shards[shard].process
        guard owner != process.number else { return }
        fail(
            InvariantViolation(
                "process \(process.number) acts as owner of shard \(shard), which process \(owner) owns"
            ))
    }

    /// Checks a reply or a notification that a client has received.
    func checkReceived(_ client: Client, _ line: [UInt8], in shard: Int) {
        check { () throws(InvariantViolation) in
            let body = JournalReader.read(line)
            if body["id"] == .null { return try checkRefusal(client, body, in: shard) }
            try shards[shard].oracle.receive(line, client)
        }
    }

    /// Checks an error for a request that was not executed. The error does not contain the request's number. It belongs to the
    /// client's oldest request that has no reply.
    private func checkRefusal(_ client: Client, _ body: [Member], in shard: Int)
        throws(InvariantViolation)
    {
        guard case .one(let request)? = client.takeExpectedReply() else {
            throw InvariantViolation("a refusal without a request")
        }
        try shards[shard].oracle.checkAnswer(body, to: request, client)
    }

    /// The rows in the database, one per line.
    public var journalLines: [String] {
        shards.flatMap { shard in
            shard.rows.map { row in
                "\(shard.number): \(row.position) \(row.kind) \(row.session) #\(row.seq) at \(row.atNs): \(row.text)"
            }
        }
    }
}
