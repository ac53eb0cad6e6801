internal import Timers

/// All values of a state type with few values and without timers. A flow gets from the table the names and the data of its
/// states, and finds a state by name and data:
///
///     enum State: Hashable, Sendable { case login, selectAvatar(from: Profile), finished }
///     static let states = StateTable<State>(
///         .login, .selectAvatar(from: .createProfile), .selectAvatar(from: .facebookProfile), .finished)
///
/// The values are read with `Mirror` once, when the table is created.
public struct StateTable<State: Hashable & Sendable>: Sendable {
    struct Row: Sendable {
        let state: State
        let name: String
        let data: [Member]
    }

    let rows: [Row]
    private let indices: [State: Int]

    public init(_ states: State...) {
        rows = states.map { state in
            let reflection = CaseReflection(state)
            return Row(state: state, name: reflection.name, data: reflection.members)
        }
        indices = Dictionary(
            rows.enumerated().map { ($1.state, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func row(of state: State) -> Row? { indices[state].map { rows[$0] } }

    /// Returns the state with a name and data.
    func state(_ name: String, _ data: Arguments) throws(Reason) -> State {
        let rowsOfName = rows.filter { $0.name == name }
        guard let first = rowsOfName.first else { throw .unknownState }
        var candidates = rowsOfName
        for member in first.data {
            let values = rowsOfName.reduce(into: [Value]()) { values, row in
                if let value = row.data[member.name], !values.contains(value) {
                    values.append(value)
                }
            }
            let value = try data.value(member.name, of: values)
            candidates = candidates.filter { $0.data[member.name] == value }
        }
        guard let state = candidates.first?.state else {
            throw .invalid(first.data.first?.name ?? "state", "no state has these data")
        }
        return state
    }
}

/// A flow whose states are listed in a table, from which their names, their data and the entry by name are derived.
///
/// `StateName` has to list the names of the cases of `State`.
public protocol TabledStates: ValueFlow where State: Hashable & Sendable {
    static var states: StateTable<State> { get }
}

extension TabledStates {
    public func describe(_ state: State) -> StateDescription<StateName> {
        guard let row = Self.states.row(of: state), let name = StateName(rawValue: row.name) else {
            // A mistake in the flow: the table lacks this state, or `StateName` lacks its name. If the table has no state of
            // the name, `AnyFlow.mistakes` reports that, because `entering` refuses the name.
            return StateDescription(initial)
        }
        return StateDescription(name, row.data)
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
        enter(nil, try Self.states.state(name.rawValue, data))
    }
}
