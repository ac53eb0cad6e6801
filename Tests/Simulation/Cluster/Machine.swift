import TestSupport
import Timers

/// A machine of the cluster: its clocks, its network, and its process. A new process replaces a killed process. The machine can
/// be suspended, and cut off from the database.
final class Machine {
    let number: Int
    private unowned let world: ClusterWorld
    private(set) var process: NodeProcess!
    /// The processes that were killed. This array retains these objects, because scheduled callbacks have unowned references to
    /// them.
    private var killedProcesses: [NodeProcess] = []
    private var isPaused = false
    /// Work that arrived during a pause; it is done when the pause ends.
    private var workAfterPause: [() -> Void] = []
    private var wires: [Wire] = []
    /// How many seconds the machine's clocks advance in one second.
    private let clockRate: Double
    /// The monotonic clock when the simulation begins, in microseconds.
    private let uptimeAtStart: Int64
    /// By how much the wall clock is ahead of the first database server's clock, in microseconds.
    private let wallOffset: Int64

    init(_ number: Int, in world: ClusterWorld) {
        (self.number, self.world) = (number, world)
        clockRate = 1 + Double(world.random.below(1001) - 500) / 1_000_000
        uptimeAtStart = Int64(1_000_000 + world.random.below(1_000_000_000))
        wallOffset = Int64(world.random.below(400_001) - 200_000)
    }

    /// The time since the start of the machine; it also passes during a pause.
    var uptime: Duration {
        .microseconds(uptimeAtStart + Int64(Double(world.time.now) * clockRate))
    }

    /// The wall clock.
    var wallClock: Duration {
        .microseconds(PostgresModel.start + wallOffset + Int64(Double(world.time.now) * clockRate))
    }

    /// The clock of the event loop, which is up to eight minutes ahead of the wall clock or behind it.
    var loopTime: Instant { .zero + .seconds(1_699_999_500) + uptime }

    // MARK: the process

    func startProcess() {
        guard process?.isDead ?? true else { return }
        if let process { killedProcesses.append(process) }
        process = NodeProcess(on: self, in: world)
        process.start()
    }

    /// Kills the process, as kill -9 does. Messages that it has sent still arrive at the database.
    func kill() {
        workAfterPause = []
        process.kill()
    }

    // MARK: pauses

    /// Suspends the machine for this number of microseconds.
    func pause(for duration: Int64) {
        guard !isPaused else { return }
        isPaused = true
        world.time.after(duration) { [self] in
            isPaused = false
            for work in exchange(&workAfterPause, with: []) { work() }
        }
    }

    /// Runs work now, or at the end of the pause.
    func run(_ work: @escaping () -> Void) {
        if isPaused { workAfterPause.append(work) } else { work() }
    }

    // MARK: the network

    /// Whether the machine is cut off from the database.
    var isCut = false {
        didSet { for wire in wires { wire.isCut = isCut } }
    }

    /// Makes a wire for one direction of a connection to the database.
    func wire() -> Wire {
        // The oldest wires belong to connections that were lost.
        if wires.count > 40 { wires.removeFirst(20) }
        let wire = Wire(world.time, isCut: isCut) { [unowned world] in world.delay() }
        wires.append(wire)
        return wire
    }
}
