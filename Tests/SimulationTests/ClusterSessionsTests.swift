import Simulation
import TestSupport
import Testing

/// Simulations of several nodes with one database; each seed determines one simulation.
@Suite struct ClusterSessionsTests {
    @Test(arguments: 0..<10 as Range<UInt64>)
    func `with random failures of nodes and of the database every guarantee holds`(_ part: UInt64) {
        let count = UInt64(TestLength.count(7, long: 30))
        for seed in part * count + 1...part * count + count {
            do throws(InvariantViolation) { try ClusterWorld(seed: seed).run() } catch {
                Issue.record("simulate --cluster --seed \(seed): \(error.message)")
                return
            }
        }
    }

    private static let seedLimit: UInt64 = 70

    @Test(arguments: ClusterFault.allCases)
    func `an injected fault is found`(_ fault: ClusterFault) {
        // The test above runs at least these seeds without an injected fault, and finds no violation.
        let found = (1...Self.seedLimit).first { seed in
            do throws(InvariantViolation) {
                try ClusterWorld(seed: seed, fault).run()
                return false
            } catch { return true }
        }
        guard let found else {
            Issue.record("\(fault.rawValue) is not found in \(Self.seedLimit) seeds")
            return
        }
        print("cluster: \(fault.rawValue) is found within \(found) seeds")
    }
}
