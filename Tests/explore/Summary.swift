import PowerCut

/// The counts of an exploration as text.
enum Summary {
    static func text(_ tally: ExplorerTally, _ seeds: Range<UInt64>) -> String {
        let damage = tally.damage
        return """
            \(tally.points) points in \(tally.workloads) workloads (seeds \(seeds.lowerBound) to \
            \(seeds.upperBound - 1)) with \(tally.operations) operations
            power cuts: \(tally.cuts), of which \(tally.laterCuts) after another cut or an error
            errors: \(tally.runsWithFaults) workloads with \(tally.faults) failed operations, \
            \(tally.reportedErrors) reported
            sectors: \(damage.keptSectors) kept, \(damage.droppedSectors) dropped, \(damage.tornSectors) torn
            truncations: \(damage.truncationsKept) kept, \(damage.truncationsUndone) undone
            directory entries: \(damage.entriesKept) kept, \(damage.entriesUndone) undone
            checked: \(tally.rows) rows, \(tally.integrityChecks) times the whole database
            """
    }
}
