internal import Sessions

/// Gives each state of each flow version a number, counted from 0 in the order of the first visits.
struct StateNumbers {
    struct State: Hashable {
        let version: FlowVersion
        let name: String
    }

    private var numbers: [State: Int] = [:]
    /// The states; the index is the number.
    private(set) var states: [State] = []
    /// The numbers of a few recently requested states. Comparing a few names is faster than hashing one.
    private var recent: [Int] = []
    /// The index in `recent` of the number to replace next.
    private var oldest = 0
    private static let recentLimit = 8
    /// The maximum number of states.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// The number of a state; nil if there are too many states.
    mutating func number(of name: String, in version: FlowVersion) -> Int? {
        for number in recent
        where states[number].name == name && states[number].version == version { return number }
        let state = State(version: version, name: name)
        if let number = numbers[state] {
            addRecent(number)
            return number
        }
        guard states.count < limit else { return nil }
        numbers[state] = states.count
        states.append(state)
        addRecent(states.count - 1)
        return states.count - 1
    }

    private mutating func addRecent(_ number: Int) {
        guard recent.count == Self.recentLimit else { return recent.append(number) }
        recent[oldest] = number
        oldest = (oldest + 1) % Self.recentLimit
    }
}
