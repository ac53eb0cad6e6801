import TestSupport
import Timers

/// What a run is like: drawn from its seed, so that each seed tries another corner.
struct FaultSchedule {
    let isVirtual: Bool
    let clients: Int
    let names: [String]
    let steps: Int
    /// How often in a thousand steps something goes wrong.
    let faults: Int
    let crashes: Int
    /// How often the disk gets to work.
    let diligence: Int
    /// How often somebody looks at what came in.
    let attention: Int
    let audits: Bool
    /// How far the wall clock may be set back while the daemon is down.
    let setback: Int64
    let longestDown: Int64

    init(_ random: inout SeededRandom) {
        isVirtual = random.below(4) == 0
        clients = 1 + random.below(4)
        names = Array(["a", "b", "c", "d", "e"].prefix(1 + random.below(5)))
        steps = 60 + random.below(160)
        faults = random.pick([0, 5, 15, 40])
        crashes = random.pick([0, 4, 10, 25])
        diligence = random.pick([50, 150, 400])
        attention = random.pick([60, 200, 400])
        audits = random.below(3) == 0
        setback = random.below(3) == 0 ? 3_600_000 : 0
        longestDown = Int64(random.pick([1, 2000, 90_000, 4_000_000]))
    }
}
