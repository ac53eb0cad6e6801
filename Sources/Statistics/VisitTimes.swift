/// How long past visits of states lasted. Several journals, for example the journals of a node's shards, share one object. So a
/// session is compared with the visits in all these journals.
package final class VisitTimes {
    /// Gives each state a number from 0, by which the arrays below are indexed.
    private var stateNumbers: StateNumbers
    /// The times of the newest visits of each state, by the state's number.
    private var times: [RecentTimes] = []
    /// Whether each state is final, by its number.
    private var areFinal: [Bool] = []
    /// Returns the final states of a version of a flow.
    private let finals: GameStatistics.Finals
    /// The position of the last row whose visits are counted, by the journal's number. If a node owns a shard a second time, it
    /// reads the shard's rows again, and the visits in these rows must not count twice.
    private var countedUpTo: [Int: Int] = [:]

    /// `states` is the maximum number of states whose visits are recorded. The states of all flows count together, and a state
    /// counts once for each version of its flow. `finals` returns the final states of a version.
    package init(
        states: Int = StuckDetector.DetectorLimits().states, finals: @escaping GameStatistics.Finals
    ) {
        (stateNumbers, self.finals) = (StateNumbers(limit: states), finals)
    }

    /// The number of a state; nil if there are too many states.
    func number(of name: String, in version: FlowVersion) -> Int? {
        guard let state = stateNumbers.number(of: name, in: version) else { return nil }
        if state == times.count {  // The number is new.
            times.append(RecentTimes())
            areFinal.append(finals(version).contains(name))
        }
        return state
    }

    func isFinal(_ state: Int) -> Bool { areFinal[state] }

    /// The time in nanoseconds that nine of ten visits of a state do not exceed; nil if too few visits are known.
    func p90(of state: Int) -> Int64? { times[state].p90 }

    /// Adds a visit. `end` is the instant at which the visit ended, in nanoseconds.
    func add(_ visit: SessionVisits.Visit, endedAt end: Int64) {
        times[visit.state].add(visit.time, endedAt: end)
    }

    /// Removes a visit that was undone.
    func remove(_ visit: SessionVisits.Visit) { times[visit.state].remove(visit.time) }

    /// Whether the visit that ends with the row at `position` is not counted yet. `journal` is a number by which the caller
    /// identifies the journal. Each journal that shares this object has a different number.
    package func isNew(_ position: Int, inJournal journal: Int) -> Bool {
        position > countedUpTo[journal, default: 0]
    }

    /// Records that the visits that end with a row up to `position` of this journal are counted.
    package func markCounted(upTo position: Int, inJournal journal: Int) {
        countedUpTo[journal] = max(position, countedUpTo[journal, default: 0])
    }
}
