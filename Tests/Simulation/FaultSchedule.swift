import TestSupport
import Timers

/// The parameters of a simulation, drawn from its seed.
struct FaultSchedule {
    /// Whether the daemon runs on a virtual clock.
    let isVirtual: Bool
    let clientCount: Int
    let sessionNames: [String]
    let stepCount: Int
    /// The average number of faults of the store in a thousand steps.
    let faultRate: Int
    /// The average number of crashes of the daemon in a thousand steps.
    let crashRate: Int
    /// The average number of commits of the store in a thousand steps.
    let commitRate: Int
    /// The average number of times that clients read in a thousand steps.
    let readRate: Int
    /// Whether refusals are recorded.
    let auditsRefusals: Bool
    /// The maximum time by which the wall clock is set back while the daemon is down, in milliseconds; 0 if it never is.
    let maxSetbackMs: Int64
    /// The longest time between a crash and the next start, in milliseconds.
    let maxDowntimeMs: Int64

    init(_ random: inout SeededRandom) {
        isVirtual = random.below(4) == 0
        clientCount = 1 + random.below(4)
        sessionNames = Array(["a", "b", "c", "d", "e"].prefix(1 + random.below(5)))
        stepCount = 60 + random.below(160)
        faultRate = random.pick([0, 5, 15, 40])
        crashRate = random.pick([0, 4, 10, 25])
        commitRate = random.pick([50, 150, 400])
        readRate = random.pick([60, 200, 400])
        auditsRefusals = random.below(3) == 0
        maxSetbackMs = random.below(3) == 0 ? 3_600_000 : 0
        maxDowntimeMs = Int64(random.pick([1, 2000, 90_000, 4_000_000]))
    }
}
