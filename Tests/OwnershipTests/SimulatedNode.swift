import Ownership
import TestSupport

/// A node: an `Ownership`, a connection to the database whose messages can be late or lost, and clients that append.
final class SimulatedNode {
    /// The node's number in the simulation, from 0. It differs even if two nodes have the same identity.
    let number: Int
    private unowned let simulation: ClusterSimulation
    private(set) var ownership: Ownership
    private var isPaused = false
    /// Work that arrived during a pause; it is done when the pause ends.
    private var workAfterPause: [() -> Void] = []
    var isPartitioned = false
    /// The speed of the node's clock: 1 if it is exact.
    private let clockRate: Double
    /// The time of the node's clock at the start of the simulation, in microseconds.
    private let clockOffset: Int64
    /// The number of the statement whose result is awaited. The result of another statement is ignored.
    private var statement = 0
    private var statementStart: Duration = .zero
    /// The time by which the fault `renewalCountedFromItsEnd` makes the trust window longer; zero without this fault.
    private var extraTrust: Duration = .zero
    /// The epochs under which the node appends, by shard.
    private var epochs: [Int: Int] = [:]
    /// The value that is being appended, by shard.
    private var appending: [Int: Int] = [:]

    init(_ number: Int, in simulation: ClusterSimulation) {
        (self.number, self.simulation) = (number, simulation)
        clockRate = 1 + Double(simulation.random.below(1001) - 500) / 1_000_000
        clockOffset = Int64(simulation.random.below(1_000_000_000))
        var settings = simulation.settings
        if simulation.injectedFault == .trustBeyondLease { settings.margin = .seconds(-3) }
        // Nodes 0 and 1 have the same name, as after a mistake in the configuration.
        let name = "hall-\(max(1, number))"
        let identity = simulation.injectedFault == .identityIsTheName ? name : "\(name)-\(number)"
        ownership = Ownership(NodeIdentity(identity), settings)
    }

    /// The node's monotonic clock, which also runs during a pause.
    private var now: Duration {
        .microseconds(clockOffset + Int64(Double(simulation.queue.now) * clockRate))
    }

    // MARK: pauses

    func pause(forMicroseconds duration: Int64) {
        isPaused = true
        simulation.queue.after(duration) { [self] in
            isPaused = false
            // After a pause, a request may come before the work that arrived during the pause.
            serve()
            for work in exchange(&workAfterPause, with: []) { work() }
        }
    }

    /// Does work now, or after the present pause.
    private func run(_ work: @escaping () -> Void) {
        if isPaused { workAfterPause.append(work) } else { work() }
    }

    // MARK: ownership

    /// Ticks now, and again every 80 to 120 ms.
    func tickPeriodically() {
        run { [self] in
            handle(.tick)
            serve()
        }
        simulation.queue.after(Int64(80_000 + simulation.random.below(40_000))) { [self] in
            tickPeriodically()
        }
    }

    private func handle(_ input: Ownership.Input) {
        for action in ownership.handle(input, at: now) { act(action) }
    }

    private func act(_ action: Ownership.Action) {
        // `skew` is the difference between the clock of the database and that of the node.
        let (db, node) = (simulation.database, ownership.node)
        switch action {
        case .renew(let shards): send { .renewed(db.renew(node, shards)) }
        case .readRows:
            send { [simulation] in
                .rowsRead(db.leaseSnapshot(skew: simulation.skew))
            }
        case .acquire(let free): acquire(free)
        case .release(let shard, let epoch):
            send {
                db.release(node, shard, epoch)
                return .released
            }
        case .gained(let shard, let epoch, _): epochs[shard] = epoch
        case .drain(let shard):
            // The node drains the shard 30 ms later, after the requests that are on their way.
            simulation.queue.after(30_000) { [self] in
                run { [self] in drain(shard) }
            }
        case .lost(let shard): epochs[shard] = nil
        case .reportSkew: simulation.skewReports += 1
        }
    }

    private func drain(_ shard: Int) {
        guard appending[shard] == nil else { return act(.drain(shard: shard)) }
        handle(.drained(shard: shard))
    }

    private func acquire(_ free: [FreeShard]) {
        transport { [self] reply in
            simulation.database.acquire(ownership.node, number, free) { epochs in
                reply(.acquired(epochs))
            }
        }
    }

    private func send(_ work: @escaping () -> Ownership.Input) {
        transport { reply in reply(work()) }
    }

    /// Carries a statement to the database, and its result back. Either may be late or lost. The node waits for the result for
    /// 2 s; the statement may be executed long after that.
    private func transport(_ execute: @escaping (@escaping (Ownership.Input) -> Void) -> Void) {
        statement += 1
        let number = statement
        statementStart = now
        let reply = { [self] (input: Ownership.Input) in
            guard !isPartitioned, simulation.database.isUp else { return }
            simulation.queue.after(simulation.delay()) { [self] in
                run { [self] in statementAnswered(number, input) }
            }
        }
        simulation.queue.after(simulation.delay(isPartitioned: isPartitioned)) { [self] in
            guard simulation.database.isUp, !isPartitioned || simulation.random.below(4) == 0 else {
                return
            }
            execute(reply)
        }
        simulation.queue.after(2_000_000) { [self] in
            run { [self] in statementAnswered(number, .failed) }
        }
    }

    private func statementAnswered(_ number: Int, _ input: Ownership.Input) {
        guard number == statement else { return }
        statement += 1
        if simulation.injectedFault == .renewalCountedFromItsEnd, input != .failed {
            extraTrust = now - statementStart
        }
        if simulation.injectedFault == .databaseClockAlone, case .rowsRead(let view) = input {
            handle(input)
            return acquireByDatabaseClock(view)
        }
        handle(input)
    }

    /// The fault `databaseClockAlone`: acquires the shards whose leases have ended by the database's clock.
    private func acquireByDatabaseClock(_ view: LeaseSnapshot) {
        let free = view.shards.enumerated().filter { $1.leaseEnd < simulation.database.clock }
            .map { FreeShard($0, row: $1) }
        if !free.isEmpty { acquire(free) }
    }

    // MARK: clients

    private func mayServe(_ shard: Int) -> Bool {
        ownership.trustedUntil(shard).map { now < $0 + extraTrust } ?? false
    }

    /// For each shard that the node may serve, answers a request and, at random, begins an append.
    private func serve() {
        for shard in ownership.shards where mayServe(shard) {
            simulation.checkAnswer(shard, by: self)
            if appending[shard] == nil, epochs[shard] != nil, simulation.random.below(3) == 0 {
                append(simulation.nextValue(), to: shard)
            }
        }
    }

    private func append(_ value: Int, to shard: Int) {
        guard let epoch = epochs[shard] else {
            appending[shard] = nil
            return
        }
        appending[shard] = value
        var isAnswered = false
        if simulation.injectedFault == .acknowledgedBeforeCommit {
            simulation.acknowledged(value, shard)
        }
        simulation.queue.after(simulation.delay(isPartitioned: isPartitioned)) { [self] in
            guard simulation.database.isUp else { return }
            let time = Int64(simulation.random.below(10) == 0 ? 400_000 : 3000)
            simulation.database.append(value, to: shard, epoch, by: number, takes: time) {
                outcome in
                guard !self.isPartitioned else { return }
                self.simulation.queue.after(self.simulation.delay()) {
                    self.run {
                        guard !isAnswered else { return }
                        isAnswered = true
                        self.appended(value, shard, outcome)
                    }
                }
            }
        }
        simulation.queue.after(1_500_000) { [self] in
            run { [self] in
                guard !isAnswered else { return }
                isAnswered = true
                readBack(value, shard, epoch)
            }
        }
    }

    private func appended(_ value: Int, _ shard: Int, _ outcome: DatabaseModel.AppendOutcome) {
        appending[shard] = nil
        switch outcome {
        case .committed: simulation.acknowledged(value, shard)
        case .fenced:
            epochs[shard] = nil
            handle(.fenced(shard: shard))
        }
    }

    /// Asks the database for the value, because its append was not answered within 1.5 s and its outcome is unknown. The node
    /// gets a new epoch, so that the database refuses the append if it arrives later.
    private func readBack(_ value: Int, _ shard: Int, _ epoch: Int) {
        if simulation.injectedFault == .resentWithoutReading { return append(value, to: shard) }
        simulation.queue.after(simulation.delay(isPartitioned: isPartitioned)) { [self] in
            guard !isPartitioned, simulation.database.isUp else {
                return simulation.queue.after(300_000) { [self] in
                    run { [self] in readBack(value, shard, epoch) }
                }
            }
            simulation.database.resume(ownership.node, shard, epoch, andLookFor: value) {
                epoch, isThere in
                self.simulation.queue.after(self.simulation.delay()) {
                    self.run { self.readBackEnded(value, shard, epoch, isThere) }
                }
            }
        }
    }

    private func readBackEnded(_ value: Int, _ shard: Int, _ epoch: Int?, _ isThere: Bool) {
        appending[shard] = nil
        guard let epoch else {
            epochs[shard] = nil
            return handle(.fenced(shard: shard))
        }
        epochs[shard] = epoch
        if isThere { simulation.acknowledged(value, shard) } else { append(value, to: shard) }
    }
}
