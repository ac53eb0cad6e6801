import Ownership
import TestSupport
import Testing

/// Random runs of several nodes with faults. `ClusterSimulation` checks that only the owner of a
/// shard writes and answers, and that no acknowledged row is lost.
@Suite struct ClusterSimulationTests {
    private static let randomSeeds = seeds(20, long: 60)

    @Test func `with random failures a shard has one owner, and nothing is lost or doubled`() {
        var (answers, acknowledgements, takeovers) = (0, 0, 0)
        for seed in Self.randomSeeds {
            let simulation = ClusterSimulation(seed)
            simulation.run()
            #expect(simulation.violation == nil, "seed \(seed)")
            answers += simulation.answers
            acknowledgements += simulation.acknowledgements
            takeovers += simulation.takeovers
        }
        // The runs were not empty.
        #expect(answers > 10_000 && acknowledgements > 1000 && takeovers > 200)
    }

    @Test func `many nodes share the shards`() {
        let (nodes, shards) = TestLength.isLong ? (50, 256) : (15, 40)
        let simulation = ClusterSimulation(1, nodes: nodes, shards: shards)
        simulation.run(
            secondsWithFaults: 12, secondsWithoutFaults: Int64(TestLength.count(45, long: 150)))
        #expect(simulation.violation == nil)
    }

    @Test(arguments: OwnershipFault.allCases)
    func `an injected fault is found`(_ fault: OwnershipFault) {
        let findingSeed = seeds(60, long: 200).first { seed in
            let simulation = ClusterSimulation(seed, fault)
            simulation.run()
            return simulation.violation != nil
        }
        #expect(findingSeed != nil, "\(fault)")
        if let findingSeed { print("ownership: \(fault) is found with seed \(findingSeed)") }
    }
}
