/// How long past visits of states lasted. Several journals, such as the shards of a node, share one object, so that a session
/// is compared with the visits in all of them.
package final class VisitTimes {
    private var stateNumbers: StateNumbers
    private var times: [RecentTimes] = []
    /// Whether each state is final, by its number.
    private var areFinal: [Bool] = []
    private let finals: GameStatistics.Finals
    /// The position up to which the visits of each journal are counted, by the journal's number. If a node owns a shard a
    /// second time, it reads the rows again, and their visits must not count twice.
    private var countedUpTo: [Int: Int] = [:]

    /// `states` is the maximum number of states that are followed, of all flows together; a state counts once for each version
    /// of its flow. `finals` returns the final states of a version.
    package init(
        states: Int = StuckDetector.DetectorLimits().states, finals: @escaping GameStatistics.Finals
    ) {
        (stateNumbers, self.finals) = (StateNumbers(limit: states), finals)
    }

    /// The number of a state; nil if there are too many states.
    func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = stateNumbers.number(of: name, in: version) else { return nil }
        if state == times.count {
            times.append(RecentTimes())
            areFinal.append(finals(version).contains(name))
        }
        return state
    }

    func isFinal(_ state: Int) -> Bool { areFinal[state] }

    /// The time that nine of ten visits of a state do not exceed; nil if too few visits are known.
    func p90(of state: Int) -> Int64? { times[state].p90 }

    /// Adds a visit. `end` is the instant at which the visit ended, in nanoseconds.
    func add(_ visit: SessionVisits.Visit, endedAt end: Int64) {
        times[visit.state].add(visit.time, endedAt: end)
    }

    func remove(_ visit: SessionVisits.Visit) { times[visit.state].remove(visit.time) }

    /// Whether the visits that end with the row at `position` of this journal are not counted yet.
    package func isNew(_ position: Int, inJournal journal: Int) -> Bool {
        position > countedUpTo[journal, default: 0]
    }

    /// Records that the visits up to the row at `position` of this journal are counted.
    package func markCounted(upTo position: Int, inJournal journal: Int) {
        countedUpTo[journal] = max(position, countedUpTo[journal, default: 0])
    }
}
