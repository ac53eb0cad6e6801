import Durability
import GameFlow
import Journal
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Timers

/// A simulation of clients, a daemon and a failing store, determined by a seed. It checks every reply and, at the end,
/// the journal.
public final class World {
    var random: SeededRandom
    let schedule: FaultSchedule
    /// The flows of this run of the daemon; the next run may have other versions of the flow files.
    var flows: SimulatedFlows
    let injectedFault: InjectedFault
    let store: SimulatedStore
    /// Compares what clients receive with the rows of `store`.
    let oracle: Oracle
    /// The present run of the daemon; nil before the first start.
    var daemon: DaemonRun!
    let clients: [Client]
    var generator: RequestGenerator
    /// The time of the machine's wall clock, which a step may set back while the daemon is down.
    var wallClock = Instant(nanoseconds: 1_700_000_000_000_000_000)
    /// The most recent instant at which the daemon is known to have run.
    var lastAlive: Instant?
    public internal(set) var counts = Counts()
    /// The outputs of all runs of the daemon, and their targets. Nil with the virtual clock, because then the age of an output
    /// is not known after a crash.
    let outputs: SimulatedOutputs?

    public init(seed: UInt64, _ fault: InjectedFault = .none) {
        random = SeededRandom(seed)
        schedule = FaultSchedule(&random)
        flows = SimulatedFlows(.first)
        outputs = schedule.isVirtual ? nil : SimulatedOutputs(seed, fault)
        injectedFault = fault
        store = SimulatedStore(fault)
        oracle = Oracle(store)
        clients = (1...schedule.clientCount).map { Client($0, fault) }
        generator = RequestGenerator(
            flows.offered, schedule.sessionNames, isVirtual: schedule.isVirtual)
        if schedule.isVirtual { wallClock = .zero }
    }

    /// Runs all steps with faults, then finishes without faults and checks everything.
    public func run() throws(InvariantViolation) {
        try start()
        for _ in 0..<schedule.stepCount { try step() }
        try finishRequests()
        try check()
        try checkDamagedRow()
        counts.add(oracle.counts)
        if let outputs { counts.add(outputs.counts) }
        counts["seeds"] += 1
        counts["rows"] += store.rows.count
        daemon.end()
    }

    /// The rows on the disk, one per line.
    public var journalLines: [String] {
        store.rows.map { row in
            "\(row.position) \(row.kind) \(row.session) #\(row.seq) at \(row.atNs): "
                + row.text
        }
    }
}
