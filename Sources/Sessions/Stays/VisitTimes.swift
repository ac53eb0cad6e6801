/// How long past visits of states lasted. Several journals, for example the journals of a node's shards, share one object. So a
/// session is compared with the visits in all these journals. Use it on the loop's thread only.
package final class VisitTimes {
    /// Returns the names of the final states of a version of a flow.
    package typealias Finals = (FlowVersion) -> Set<String>

    /// The maximum number of states whose visits are recorded, unless another maximum is given.
    package static let stateLimit = 4096

    private var versions: [FlowVersion: [StateVisitTimes]] = [:]
    private var stateCount = 0
    private let stateLimit: Int
    private let finals: Finals
    /// The position of the last row whose visits are counted, by the journal's number. If a node owns a shard a second time, it
    /// reads the shard's rows again, and the visits in these rows must not count twice.
    private var countedUpTo: [Int: Int] = [:]

    /// `stateLimit` is the maximum number of states whose visits are recorded. The states of all flows count together, and a
    /// state counts once for each version of its flow.
    package init(stateLimit: Int = VisitTimes.stateLimit, finals: @escaping Finals) {
        (self.stateLimit, self.finals) = (stateLimit, finals)
    }

    /// The times of a state; nil if there are too many states.
    package func times(of state: String, in version: FlowVersion) -> StateVisitTimes? {
        let known = versions[version] ?? []
        if let times = known.first(where: { $0.state == state }) { return times }
        guard stateCount < stateLimit else { return nil }
        stateCount += 1
        let new = StateVisitTimes(state, isFinal: finals(version).contains(state))
        versions[version, default: []].append(new)
        return new
    }

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
