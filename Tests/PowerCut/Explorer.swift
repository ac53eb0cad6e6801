internal import CSQLite
internal import TestSupport

/// Runs a workload on a journal, and cuts the power before each operation on the disk, such as a write or a sync. Checks the
/// journal after each cut. Makes several cuts before each operation, each with other random damage to the disk. Then lets each
/// operation fail with a disk error.
///
/// A point is one power cut or one disk error. The points of a seed are numbered from 0: first the cuts, then the errors.
package final class Explorer {
    /// The number of power cuts before each operation. Each cut damages the disk in another way.
    static let cutsPerOperation = 6

    package internal(set) var tally = ExplorerTally()
    package internal(set) var violations: [Violation] = []
    /// A mistake in the journal's code that a test injects, to show that the explorer finds it. Nil if no mistake is injected.
    let injectedFault: InjectedFault?
    let losesFailedWrites: Bool
    /// The file system through which the journal uses the simulated disk.
    let vfs: SimulatedVFS

    /// `losesFailedWrites` says whether the writes before a failed sync are lost; see `Fault`.
    package init(_ fault: InjectedFault? = nil, losesFailedWrites: Bool = true) {
        (injectedFault, self.losesFailedWrites) = (fault, losesFailedWrites)
        var random = SeededRandom(0)
        vfs = SimulatedVFS(Device(&random))
        if fault == .checkpointNotSynced { vfs.roleWithoutSync = .database }
    }

    /// Called with a line for every operation, for debugging.
    package var trace: ((String) -> Void)?

    /// The points of a seed that are explored.
    package enum Part: Equatable, Sendable {
        case all
        /// The power cuts.
        case cuts
        /// The disk errors.
        case faults
        /// One point, by its number.
        case point(Int)
    }

    /// Explores at most `limit` points of a seed, up to the first violation.
    package func explore(_ seed: UInt64, _ part: Part = .all, limit: Int = .max) {
        let workload = Workload(seed)
        let endOfLimit = limit == .max ? Int.max : tally.points + limit
        let earlierViolations = violations.count
        guard let states = record(workload) else { return }
        tally.workloads += 1
        tally.operations += states.count - 1
        vfs.trace = trace
        defer { vfs.trace = nil }
        let cuts = states.count * Self.cutsPerOperation
        for point in points(part, cuts: cuts, faults: states.count - 1) {
            if point < cuts {
                cut(workload, point, states[point / Self.cutsPerOperation])
            } else {
                fail(workload, point, at: point - cuts)
            }
            if violations.count > earlierViolations || tally.points >= endOfLimit { return }
        }
    }

    /// The numbers of a part's points, for a seed with these numbers of power cuts and of disk errors.
    private func points(_ part: Part, cuts: Int, faults: Int) -> Range<Int> {
        switch part {
        case .all: 0..<(cuts + faults)
        case .cuts: 0..<cuts
        case .faults: cuts..<(cuts + faults)
        case .point(let point): point < cuts + faults ? point..<(point + 1) : 0..<0
        }
    }

    /// Runs a workload without cuts and errors. Returns the state of the disk and the expected rows before each operation and at
    /// the end; nil if the workload fails.
    private func record(_ workload: Workload) -> [CutState]? {
        vfs.insert(SimulatedDisk(), workload.device)
        let user = JournalUser(vfs, seedRandomness(workload, 0), injectedFault)
        user.recordStates()
        do { try user.run(workload.steps) } catch {
            violations.append(
                Violation(
                    seed: workload.seed, point: 0, message: "\(error)",
                    at: "without cuts and errors"))
            return nil
        }
        user.stopRecording()
        return user.states
    }

    /// Returns a generator of random numbers for a point, and seeds SQLite's own generator.
    func seedRandomness(_ workload: Workload, _ point: Int) -> SeededRandom {
        var random = SeededRandom(workload.seed &* 1_000_003 &+ UInt64(point))
        sqlite_seed_randomness(Int32(truncatingIfNeeded: random.next() | 1))
        return random
    }
}
