import TestSupport
import Timers

/// The parameters of a simulation, drawn from its seed.
struct FaultSchedule {
    let isVirtual: Bool
    let clients: Int
    let names: [String]
    let steps: Int
    /// The average number of faults of the store in a thousand steps.
    let faults: Int
    /// The average number of crashes in a thousand steps.
    let crashes: Int
    /// The average number of commits of the store in a thousand steps.
    let commits: Int
    /// The average number of times that clients read in a thousand steps.
    let reads: Int
    /// Whether refusals are recorded.
    let auditsRefusals: Bool
    /// The maximum time by which the wall clock is set back while the daemon is down, in milliseconds.
    let setback: Int64
    /// The longest time between a crash and the next start, in milliseconds.
    let longestDowntime: Int64

    init(_ random: inout SeededRandom) {
        isVirtual = random.below(4) == 0
        clients = 1 + random.below(4)
        names = Array(["a", "b", "c", "d", "e"].prefix(1 + random.below(5)))
        steps = 60 + random.below(160)
        faults = random.pick([0, 5, 15, 40])
        crashes = random.pick([0, 4, 10, 25])
        commits = random.pick([50, 150, 400])
        reads = random.pick([60, 200, 400])
        auditsRefusals = random.below(3) == 0
        setback = random.below(3) == 0 ? 3_600_000 : 0
        longestDowntime = Int64(random.pick([1, 2000, 90_000, 4_000_000]))
    }
}
