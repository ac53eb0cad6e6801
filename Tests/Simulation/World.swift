import Durability
import GameFlow
import Journal
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Timers

/// Clients, a daemon and a disk on which everything goes wrong, all from one seed; and whoever looks whether
/// the promises hold.
public final class World {
    var random: SeededRandom
    let weather: FaultSchedule
    /// The flows of this life; the next one may have other versions of the files.
    var flows: SimulatedFlows
    let fault: InjectedFault
    let shelf: SimulatedStore
    let witness: Oracle
    var life: DaemonRun!
    let clients: [Client]
    var script: RequestGenerator
    var wall = Instant(nanoseconds: 1_700_000_000_000_000_000)
    /// The last sign of life that the daemon left.
    var lastAlive: Instant?
    public internal(set) var counts = Counts()
    /// Nil with the virtual clock: there the age of an output is not known after a crash.
    let outputs: SimulatedOutputs?

    public init(seed: UInt64, _ fault: InjectedFault = .none) {
        random = SeededRandom(seed)
        weather = FaultSchedule(&random)
        flows = SimulatedFlows(isNewer: false)
        outputs = weather.isVirtual ? nil : SimulatedOutputs(seed, fault)
        self.fault = fault
        shelf = SimulatedStore(fault)
        witness = Oracle(shelf)
        clients = (1...weather.clients).map { Client($0, fault) }
        script = RequestGenerator(flows.offered, weather)
        if weather.isVirtual { wall = .zero }
    }

    /// A whole run: all goes wrong for a while, then nothing does any more, and everything must be right.
    public func run() throws(InvariantViolation) {
        try begin()
        for _ in 0..<weather.steps { try step() }
        try calmDown()
        try check()
        try damage()
        counts.add(witness.counts)
        if let outputs { counts.add(outputs.counts) }
        counts["seeds"] += 1
        counts["rows"] += shelf.rows.count
        life.end()
    }

    /// What is on the disk, a line a row.
    public var journal: [String] {
        shelf.rows.map { row in
            "\(row.position) \(row.kind) \(row.session) #\(row.seq) at \(row.atNs): "
                + row.text
        }
    }
}
