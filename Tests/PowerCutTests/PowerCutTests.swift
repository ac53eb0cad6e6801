import PowerCut
import TestSupport
import Testing

/// Serialized, because each test occupies a core for a long time.
@Suite(.serialized) struct PowerCutTests {
    /// Explores the seeds from 1 on, until `points` points were explored or a violation was found.
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
        let points = TestLength.count(1200, long: 25_000)
        let explorer = explore(Explorer(), .cuts, upTo: points)
        #expect(explorer.violations.map(\.description) == [])
        #expect(explorer.tally.points == points)
        // The power cuts did damage of each kind, often enough for the test to mean something.
        let damage = explorer.tally.damage
        for count in [
            damage.keptSectors, damage.droppedSectors, damage.tornSectors, damage.entriesUndone,
        ] {
            #expect(count > points / 20)
        }
        #expect(damage.truncationsUndone > points / 200)
    }

    /// The argument says whether the writes before a failed sync are lost. Otherwise a later sync writes them.
    @Test(arguments: [false, true]) func `no disk error loses an acknowledged row`(
        _ losesFailedWrites: Bool
    ) {
        let faults = TestLength.count(500, long: 3000)
        let explorer = explore(
            Explorer(losesFailedWrites: losesFailedWrites), .faults, upTo: faults)
        #expect(explorer.violations.map(\.description) == [])
        #expect(explorer.tally.faults >= faults)
        #expect(explorer.tally.reportedErrors > faults / 3)
    }

    @Test(arguments: [
        InjectedFault.commitNotSynced, .directoryNotSynced, .rowsOneByOne, .checkpointNotSynced,
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
        let first = explore(Explorer(.commitNotSynced), .cuts, upTo: 2000)
        let violation = try #require(first.violations.first)
        let repetition = Explorer(.commitNotSynced)
        repetition.explore(violation.seed, .point(violation.point))
        #expect(repetition.violations.map(\.description) == [violation.description])
        #expect(repetition.tally.points == 1)
    }

    @Test func `a seed determines the workload`() {
        #expect(Workload(5).steps == Workload(5).steps)
        #expect(Set(seeds(50).map { "\(Workload($0).steps)" }).count == 50)
    }
}
