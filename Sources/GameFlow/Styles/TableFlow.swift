/// A flow as a table that is assigned by subscript: `machine[.login] = [.next: .createProfile]`.
///
/// The next state depends only on the present state and the event. If earlier events also matter, the state must contain their
/// result, for example as an associated value of the enum case. The table then has a row for each of these values. The flow
/// `Registration` is an example.
public protocol TableFlow: ValueFlow where State: Hashable, Event: Hashable {
    /// The table of the flow's transitions. It should be a stored property (`static let`), because each event reads it.
    static var machine: TransitionTable<State, Event> { get }
    /// Returns the effect that entering the state requests; nil, by default, for none.
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

    /// The next state; nil if the state does not take the event.
    func next(_ state: State, _ event: Event) -> State? { rows[state]?[event] }
}

extension TransitionTable: Sendable where State: Sendable, Event: Sendable {}
