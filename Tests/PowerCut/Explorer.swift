internal import CSQLite
internal import TestSupport

/// Cuts a journal's power, before each operation of a workload and with several damages each, and
/// looks at what it leaves. Then lets each operation fail in turn.
///
/// The points of a seed count from 0: first the cuts, then the errors.
package final class Explorer {
    /// How many damages each moment is tried with.
    static let damages = 6

    package internal(set) var tally = ExplorerTally()
    package internal(set) var violations: [Violation] = []
    let fault: InjectedFault?
    let forgets: Bool
    let vfs: SimulatedVFS

    /// `forgets` says what a failed sync leaves; see `Fault`.
    package init(_ fault: InjectedFault? = nil, forgets: Bool = true) {
        (self.fault, self.forgets) = (fault, forgets)
        var random = SeededRandom(0)
        vfs = SimulatedVFS(Device(&random))
        if fault == .checkpointNotSynced { vfs.unsynced = .database }
    }

    /// Hears of everything that happens at the points, for people.
    package var trace: ((String) -> Void)?

    /// What of a seed to look at.
    package enum Part: Equatable, Sendable {
        case all
        case cuts
        case faults
        /// One point, by its number.
        case point(Int)
    }

    /// Explores a seed's points, no more than `limit` of them and up to the first violation.
    package func explore(_ seed: UInt64, _ part: Part = .all, limit: Int = .max) {
        let workload = Workload(seed)
        let end = limit == .max ? Int.max : tally.points + limit
        let known = violations.count
        guard let moments = record(workload) else { return }
        tally.workloads += 1
        tally.operations += moments.count - 1
        vfs.trace = trace
        defer { vfs.trace = nil }
        let cuts = moments.count * Self.damages
        for point in points(part, cuts, moments.count - 1) {
            if point < cuts {
                cut(workload, point, moments[point / Self.damages])
            } else {
                fail(workload, point, at: point - cuts)
            }
            if violations.count > known || tally.points >= end { return }
        }
    }

    private func points(_ part: Part, _ cuts: Int, _ faults: Int) -> Range<Int> {
        switch part {
        case .all: 0..<(cuts + faults)
        case .cuts: 0..<cuts
        case .faults: cuts..<(cuts + faults)
        case .point(let point): point < cuts + faults ? point..<(point + 1) : 0..<0
        }
    }

    /// Runs a workload undisturbed.
    private func record(_ workload: Workload) -> [Moment]? {
        vfs.insert(SimulatedDisk(), workload.device)
        let user = JournalUser(vfs, start(workload, 0), fault)
        user.watch()
        do { try user.run(workload.steps) } catch {
            violations.append(
                Violation(seed: workload.seed, point: 0, what: "\(error)", at: "undisturbed"))
            return nil
        }
        user.watchNoMore()
        return user.moments
    }

    /// Random numbers of a point, for us and for SQLite.
    func start(_ workload: Workload, _ point: Int) -> SeededRandom {
        var random = SeededRandom(workload.seed &* 1_000_003 &+ UInt64(point))
        sqlite_seed_randomness(Int32(truncatingIfNeeded: random.next() | 1))
        return random
    }
}
