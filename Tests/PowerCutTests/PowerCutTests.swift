import PowerCut
import TestSupport
import Testing

/// One after the other, so that others are not kept waiting.
@Suite(.serialized) struct PowerCutTests {
    /// Explores seeds from 1 on until so many points were seen, or something was found.
    private func explore(
        _ explorer: Explorer, _ part: Explorer.Part, upTo points: Int
    ) -> Explorer {
        var seed: UInt64 = 1
        while explorer.tally.points < points, explorer.violations.isEmpty {
            explorer.explore(seed, part, limit: points - explorer.tally.points)
            seed += 1
        }
        return explorer
    }

    @Test func `no power cut loses an acknowledged row`() {
        let points = TestLength.count(1200, long: 100_000)
        let explorer = explore(Explorer(), .cuts, upTo: points)
        #expect(explorer.violations.map(\.description) == [])
        #expect(explorer.tally.points == points)
        // There was something to survive, of each kind.
        let damage = explorer.tally.damage
        for count in [damage.kept, damage.dropped, damage.torn, damage.entriesUndone] {
            #expect(count > points / 20)
        }
        #expect(damage.truncationsUndone > points / 200)
    }

    /// Once where a later sync makes up for one that failed, and once where none does.
    @Test(arguments: [false, true]) func `no disk error loses an acknowledged row`(
        _ forgets: Bool
    ) {
        let faults = TestLength.count(500, long: 10_000)
        let explorer = explore(Explorer(forgets: forgets), .faults, upTo: faults)
        #expect(explorer.violations.map(\.description) == [])
        #expect(explorer.tally.faults >= faults)
        #expect(explorer.tally.reported > faults / 3)
    }

    @Test(arguments: [
        InjectedFault.syncedSeldom, .directoryNotSynced, .rowsOneByOne, .checkpointNotSynced,
    ]) func `an injected fault is found by power cuts`(_ fault: InjectedFault) {
        let explorer = explore(Explorer(fault), .cuts, upTo: 2000)
        #expect(explorer.violations.count == 1)
    }

    @Test(arguments: [InjectedFault.logKept, .logTrusted])
    func `an injected fault is found by disk errors`(_ fault: InjectedFault) {
        let explorer = explore(Explorer(fault), .faults, upTo: 20_000)
        #expect(explorer.violations.count == 1)
    }

    @Test func `a violation is reproduced at its point`() throws {
        let first = explore(Explorer(.syncedSeldom), .cuts, upTo: 2000)
        let violation = try #require(first.violations.first)
        let again = Explorer(.syncedSeldom)
        again.explore(violation.seed, .point(violation.point))
        #expect(again.violations.map(\.description) == [violation.description])
        #expect(again.tally.points == 1)
    }

    @Test func `a seed determines the workload`() {
        #expect(Workload(5).steps == Workload(5).steps)
        #expect(Set(seeds(50).map { "\(Workload($0).steps)" }).count == 50)
    }
}
