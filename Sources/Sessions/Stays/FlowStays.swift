/// The states of one version of a flow that sessions are in or were in.
final class FlowStays {
    let version: FlowVersion
    private(set) var states: [StateStays] = []

    init(_ version: FlowVersion) { self.version = version }

    func find(_ state: String) -> StateStays? { states.first { $0.times.state == state } }

    func add(_ times: StateVisitTimes, _ counts: SessionCounts) -> StateStays {
        let new = StateStays(
            times, self, counts.transitions(from: times.state, of: version.flow))
        states.append(new)
        return new
    }
}
