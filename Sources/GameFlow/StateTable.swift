internal import Timers

/// All values of a state type that has few values, none of which holds a timer. A flow gets from the table the names and the
/// data of its states, and finds a state by name and data:
///
///     enum State: Hashable, Sendable { case login, selectAvatar(from: Profile), finished }
///     static let states = StateTable<State>(
///         .login, .selectAvatar(from: .createProfile), .selectAvatar(from: .facebookProfile), .finished)
///
/// The values are read with `Mirror` once, when the table is created.
public struct StateTable<State: Hashable & Sendable>: Sendable {
    /// A state with its name and its data.
    struct Row: Sendable {
        let state: State
        let name: String
        let data: [Member]
    }

    /// The listed states, in the order of the list.
    let rows: [Row]
    /// The index in `rows` of each state.
    private let indices: [State: Int]

    /// Creates a table of all states that the flow can be in.
    public init(_ states: State...) {
        rows = states.map { state in
            let reflection = CaseReflection(state)
            return Row(state: state, name: reflection.name, data: reflection.members)
        }
        indices = Dictionary(
            rows.enumerated().map { ($1.state, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The row of a state; nil if the table lacks the state.
    func row(of state: State) -> Row? { indices[state].map { rows[$0] } }

    /// Returns the state with a name and data. Throws `unknownState` if no state has the name, and `invalid` if a datum is
    /// missing or no state has these data.
    func state(_ name: String, _ data: Arguments) throws(Reason) -> State {
        let rowsOfName = rows.filter { $0.name == name }
        guard let first = rowsOfName.first else { throw .unknownState }
        var candidates = rowsOfName
        // All states of one name are values of the same enum case. Their data have the same names, and differ in the values.
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

/// A flow whose states are listed in a table. The extension below implements the flow's functions `describe` and `entering`
/// with this table. `describe` converts a state to its name and data. `entering` finds the state with a name and data.
///
/// `StateName` has to list the names of the cases of `State`.
public protocol TabledStates: ValueFlow where State: Hashable & Sendable {
    static var states: StateTable<State> { get }
}

extension TabledStates {
    public func describe(_ state: State) -> StateDescription<StateName> {
        guard let row = Self.states.row(of: state), let name = StateName(rawValue: row.name) else {
            // The flow has a mistake: the table lacks this state, or `StateName` lacks the state's name. The result is the
            // description of the initial state, because this function cannot throw. The check of a flow (`AnyFlow.mistakes`)
            // enters each state by its name. It reports a name for which the table has no state.
            return StateDescription(initial)
        }
        return StateDescription(name, row.data)
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> FlowTransition<
        Self
    > {
        enter(try Self.states.state(name.rawValue, data))
    }
}
