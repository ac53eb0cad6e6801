/// Numbers the states of flow versions, from 0 in the order of their first visits.
struct StateNumbers {
    struct State: Hashable {
        let version: FlowVersion
        let name: String
    }

    private var numbers: [State: Int] = [:]
    private(set) var states: [State] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of a state; nil if there are too many states.
    mutating func number(of name: String, in version: FlowVersion) -> Int? {
        let state = State(version: version, name: name)
        if let known = numbers[state] { return known }
        guard states.count < limit else { return nil }
        numbers[state] = states.count
        states.append(state)
        return states.count - 1
    }
}
