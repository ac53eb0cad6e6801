/// A flow as a table that is assigned by subscript: `machine[.login] = [.next: .createProfile]`.
///
/// If a transition depends on earlier events, the state must say so, and the table has a row for each such
/// state. See `Registration` for an example.
public protocol TableFlow: ValueFlow where State: Hashable, Event: Hashable {
    /// The table, which is created once.
    static var machine: TransitionTable<State, Event> { get }
    /// Returns the effect that entering the state requests.
    func effect(entering state: State) -> Effect?
}

extension TableFlow {
    public func effect(entering state: State) -> Effect? { nil }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let next = Self.machine.next(state, event) else { throw .noTransition }
        return enter(effect(entering: next), next)
    }
}

/// A table of the next state for each state and event, with one row for each state.
public struct TransitionTable<State: Hashable, Event: Hashable> {
    private var rows: [State: [Event: State]] = [:]

    public init() {}

    /// The row of a state; empty if the table has none.
    public subscript(_ state: State) -> [Event: State] {
        get { rows[state] ?? [:] }
        set { rows[state] = newValue }
    }

    func next(_ state: State, _ event: Event) -> State? { rows[state]?[event] }
}

extension TransitionTable: Sendable where State: Sendable, Event: Sendable {}
