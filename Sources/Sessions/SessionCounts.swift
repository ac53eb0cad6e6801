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
    /// What is reported besides being counted.
    @exclusivity(unchecked) package var slowWork = SlowWork()
    private var refusals: [RefusalCount] = []
    /// The element of `refusals` that was counted most recently; the next refusal is usually like it.
    @exclusivity(unchecked) private var latestRefusal: RefusalCount?
    private var transitions: [TransitionCounts] = []

    /// Late timers and slow commits, which are reported.
    package struct SlowWork {
        /// From which number of nanoseconds on a late timer is reported.
        fileprivate let lateness: Int64
        fileprivate let timerWasLate: (Session, _ signal: String, Duration) -> Void
        /// From which number of nanoseconds on a commit is reported.
        fileprivate let commitTime: Int64
        fileprivate let commitWasSlow: (_ rows: Int, Duration) -> Void

        /// Reports nothing.
        init() {
            (lateness, commitTime) = (.max, .max)
            (timerWasLate, commitWasSlow) = ({ _, _, _ in }, { _, _ in })
        }

        /// Reports timers that are late by `lateness` or more, and commits that take `commitTime` or longer.
        package init(
            lateness: Duration,
            _ timerWasLate: @escaping (Session, _ signal: String, Duration) -> Void,
            commitTime: Duration, _ commitWasSlow: @escaping (_ rows: Int, Duration) -> Void
        ) {
            (self.lateness, self.commitTime) = (lateness.nanoseconds, commitTime.nanoseconds)
            (self.timerWasLate, self.commitWasSlow) = (timerWasLate, commitWasSlow)
        }
    }

    /// The number of refused events of one flow with one reason and one kind of source.
    package final class RefusalCount {
        package let flow: String
        /// The name of the error.
        package let reason: String
        package let source: String
        @exclusivity(unchecked) package fileprivate(set) var count = 0
        /// The number of the error.
        private let number: Int

        fileprivate init(_ flow: String, _ reason: String, _ source: String, _ number: Int) {
            (self.flow, self.reason, self.source, self.number) = (flow, reason, source, number)
        }

        @inline(__always) fileprivate func isFor(
            _ number: Int, _ flow: AnyFlow, _ source: Source
        ) -> Bool {
            self.number == number && self.source == source.kind.name && self.flow == flow.name
        }
    }

    /// The maximum number of elements of `refusals`. Beyond it, refusals count for the flow `other`.
    static let refusalLimit = 1000

    public init() {}

    /// Counts a session's timer that fired this many nanoseconds after its deadline.
    func countFiring(late nanoseconds: Int64, _ tag: UInt8, of session: Session) {
        lateness.add(Int(nanoseconds))
        guard nanoseconds >= slowWork.lateness else { return }
        slowWork.timerWasLate(session, session.flow.signalName(tag), .nanoseconds(nanoseconds))
    }

    /// Counts a commit of rows, which took this many nanoseconds.
    package func countCommit(of rows: Int, _ nanoseconds: Int64) {
        commitRows.add(rows)
        commitTimes.add(Int(nanoseconds))
        guard nanoseconds >= slowWork.commitTime else { return }
        slowWork.commitWasSlow(rows, .nanoseconds(nanoseconds))
    }

    /// Counts a refused event.
    func countRefusal(_ refused: RefusedEvent, _ flow: AnyFlow) {
        let number = refused.error.code
        if let latestRefusal, latestRefusal.isFor(number, flow, refused.source) {
            latestRefusal.count &+= 1
            return
        }
        let found = refusalCount(refused, number, flow)
        found.count &+= 1
        latestRefusal = found
    }

    private func refusalCount(_ refused: RefusedEvent, _ number: Int, _ flow: AnyFlow)
        -> RefusalCount
    {
        let source = refused.source
        if let known = refusals.first(where: { $0.isFor(number, flow, source) }) { return known }
        // The last element is for all others.
        if refusals.count > Self.refusalLimit { return refusals[Self.refusalLimit] }
        let new =
            refusals.count == Self.refusalLimit
            ? RefusalCount("other", "other", "other", 0)
            : RefusalCount(flow.name, refused.error.name, source.kind.name, number)
        refusals.append(new)
        return new
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
            for count in from.counts { body(from.flow, from.state, count.to.state, count.count) }
        }
    }
}

/// The numbers of the transitions out of a state of a flow.
final class TransitionCounts {
    let flow: String
    let state: String
    private(set) var counts: [Count] = []
    /// The element of `counts` that was counted most recently; the next transition usually leads to the same state.
    @exclusivity(unchecked) private var latest: Count?

    /// The number of transitions to one state.
    final class Count {
        /// The counts of that state, which live as long as this object.
        unowned(unsafe) let to: TransitionCounts
        @exclusivity(unchecked) fileprivate(set) var count = 0

        init(_ to: TransitionCounts) { self.to = to }
    }

    init(_ flow: String, _ state: String) { (self.flow, self.state) = (flow, state) }

    func count(to: TransitionCounts) {
        if let latest, latest.to === to {
            latest.count &+= 1
            return
        }
        let found = counts.first { $0.to === to } ?? add(to)
        found.count &+= 1
        latest = found
    }

    private func add(_ to: TransitionCounts) -> Count {
        let new = Count(to)
        counts.append(new)
        return new
    }
}
