/// A flow as a table that is assigned by subscript: `machine[.login] = [.next: .createProfile]`.
///
/// Where the way on depends on what came before, the state says so, and the table has a row for each. See
/// `Registration` for one.
public protocol TableFlow: ValueFlow where State: Hashable, Event: Hashable {
    /// The table; made once.
    static var machine: TransitionTable<State, Event> { get }
    /// What entering the state asks the outside to do.
    func effect(entering state: State) -> Effect?
}

extension TableFlow {
    public func effect(entering state: State) -> Effect? { nil }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
        guard let next = Self.machine.next(state, event) else { throw .noTransition }
        return enter(effect(entering: next), next)
    }
}

/// Which state follows on which event, a row for each state.
public struct TransitionTable<State: Hashable, Event: Hashable> {
    private var rows: [State: [Event: State]] = [:]

    public init() {}

    /// The row of a state, empty where it has none.
    public subscript(_ state: State) -> [Event: State] {
        get { rows[state] ?? [:] }
        set { rows[state] = newValue }
    }

    func next(_ state: State, _ event: Event) -> State? { rows[state]?[event] }
}

extension TransitionTable: Sendable where State: Sendable, Event: Sendable {}
