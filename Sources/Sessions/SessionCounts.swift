internal import GameFlow
package import Support
internal import Timers

/// What sessions count for the metrics of the daemon. All shards of a process share one object, so that the counts do not fall
/// when a shard moves to another node. Use it on the loop's thread only.
public final class SessionCounts {
    // The properties are not checked for overlapping accesses: they are accessed only here, and no foreign code runs meanwhile.
    /// How late the timers of sessions fired, in nanoseconds.
    @exclusivity(unchecked) package private(set) var lateness = Histogram.times
    /// How long the commits of rows took, in nanoseconds, and how many rows they had.
    @exclusivity(unchecked) package private(set) var commitTimes = Histogram.times
    @exclusivity(unchecked) package private(set) var commitRows = Histogram.numbers
    @exclusivity(unchecked) private var refusals: [RefusalCount] = []
    /// The index of the element of `refusals` that was counted most recently.
    @exclusivity(unchecked) private var latestRefusal = 0
    private var transitions: [TransitionCounts] = []

    /// The number of refused events of one flow with one reason and one kind of source.
    package struct RefusalCount {
        package let flow: String
        /// The name of the error.
        package let reason: String
        package let source: String
        package fileprivate(set) var count = 0
        fileprivate let number: Int
    }

    /// The maximum number of elements of `refusals`. Beyond it, refusals count for the flow `other`.
    static let refusalLimit = 1000

    public init() {}

    /// Counts a timer that fired this much after its deadline.
    func countFiring(late time: Duration) { lateness.add(Int(time.nanoseconds)) }

    /// Counts a commit of rows.
    package func countCommit(of rows: Int, _ time: Duration) {
        commitRows.add(rows)
        commitTimes.add(Int(time.nanoseconds))
    }

    /// Counts a refused event.
    func countRefusal(_ error: RequestError, _ flow: AnyFlow, _ source: Source) {
        let number = error.number
        func isThis(_ count: RefusalCount) -> Bool {
            count.number == number && count.source == source.kind.name && count.flow == flow.name
        }
        // The next refusal is usually like the one before.
        if latestRefusal >= refusals.count || !isThis(refusals[latestRefusal]) {
            latestRefusal =
                refusals.firstIndex(where: isThis)
                ?? addRefusalCount(flow.name, error, source.kind.name)
        }
        refusals[latestRefusal].count += 1
    }

    /// Adds an element to `refusals`, and returns its index.
    private func addRefusalCount(_ flow: String, _ error: RequestError, _ source: String) -> Int {
        if refusals.count == Self.refusalLimit {
            refusals.append(
                RefusalCount(flow: "other", reason: "other", source: "other", number: 0))
        }
        guard refusals.count < Self.refusalLimit else { return Self.refusalLimit }
        refusals.append(
            RefusalCount(
                flow: flow, reason: error.name.description, source: source, number: error.number))
        return refusals.count - 1
    }

    package var refusalCounts: [RefusalCount] { refusals }

    /// The transitions out of a state of a flow.
    func transitions(from state: String, of flow: String) -> TransitionCounts {
        if let known = transitions.first(where: { $0.state == state && $0.flow == flow }) {
            return known
        }
        let new = TransitionCounts(flow, state)
        transitions.append(new)
        return new
    }

    /// Calls `body` with the number of transitions of a flow from one state to another.
    package func forEachTransition(
        _ body: (_ flow: String, _ from: String, _ to: String, Int) -> Void
    ) {
        for from in transitions {
            for (to, count) in from.counts { body(from.flow, from.state, to.state, count) }
        }
    }
}

/// The numbers of the transitions out of a state of a flow.
final class TransitionCounts {
    let flow: String
    let state: String
    /// The counts by the states to which the transitions lead. These live as long as this object.
    @exclusivity(unchecked) private(set) var counts: [(to: TransitionCounts, count: Int)] = []
    /// The index of the element of `counts` that was counted most recently.
    @exclusivity(unchecked) private var latest = 0

    init(_ flow: String, _ state: String) { (self.flow, self.state) = (flow, state) }

    func count(to: TransitionCounts) {
        if latest >= counts.count || counts[latest].to !== to {
            if let index = counts.firstIndex(where: { $0.to === to }) {
                latest = index
            } else {
                latest = counts.count
                counts.append((to, 0))
            }
        }
        counts[latest].count += 1
    }
}
