/// How long past visits of states lasted. The sessions of several journals, such as the shards of a node, share one, so that a
/// session is compared with the visits of all of them.
package final class VisitTimes {
    private var numbers: StateNumbers
    private var times: [RecentTimes] = []
    private var areFinal: [Bool] = []
    private let finals: GameStatistics.Finals
    /// The newest row of each journal whose visits are known, by the journal's number. The rows of a shard that a node owns a
    /// second time are read again, and their visits must not count twice.
    private var known: [Int: Int] = [:]

    /// `states` is the number of states that are followed, separately for each version of a flow; `finals` returns the final
    /// states of a version.
    package init(
        states: Int = StuckDetector.DetectorLimits().states, finals: @escaping GameStatistics.Finals
    ) {
        (numbers, self.finals) = (StateNumbers(limit: states), finals)
    }

    /// The number of a state; nil if there are too many.
    func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = numbers.number(of: name, in: version) else { return nil }
        if state == times.count {
            times.append(RecentTimes())
            areFinal.append(finals(version).contains(name))
        }
        return state
    }

    func isFinal(_ state: Int) -> Bool { areFinal[state] }

    /// The time that nine of ten visits of a state do not exceed; nil if too few are known.
    func p90(of state: Int) -> Int64? { times[state].p90 }

    func add(_ visit: SessionVisits.Visit, endedAt end: Int64) {
        times[visit.state].add(visit.time, endedAt: end)
    }

    func remove(_ visit: SessionVisits.Visit) { times[visit.state].remove(visit.time) }

    /// Whether the visits that end with this row of a journal are new.
    package func isNew(_ row: Int, of journal: Int) -> Bool { row > known[journal, default: 0] }

    /// The visits up to this row of a journal are known.
    package func note(_ row: Int, of journal: Int) {
        known[journal] = max(row, known[journal, default: 0])
    }
}
