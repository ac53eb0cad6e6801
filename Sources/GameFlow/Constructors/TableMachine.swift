public import Timers

/// The rows of a machine that was created with a table. The machine and its engine share this object: rows are assigned through
/// the machine, and the engine looks for the next state in these rows.
final class TableRows<State: Hashable, Event: Hashable> {
    var table = TransitionTable<State, Event>()
}

extension StateMachine where State: Hashable, Event: Hashable {
    /// Creates a machine with an empty table, which is filled by subscript:
    ///
    ///     let registration = StateMachine<Screen, Action>(initial: .login)
    ///     registration[.login] = [.next: .createProfile, .login: .finished]
    ///
    /// If `clock` is nil, the machine creates and retains a `TaskClock`, whose timers fire on the actor `isolation`: by default
    /// the caller's.
    public convenience init(
        initial: State, on clock: (any TimerClock)? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) {
        let rows = TableRows<State, Event>()
        let engine = Engine<State, Event>(initial) { state, event throws(Reason) in
            guard let next = rows.table.next(state, event) else { throw .noTransition }
            return next
        }
        self.init(engine, on: clock ?? TaskClock(isolation: isolation))
        existingOrNewTypedFeatures.table = rows
    }

    /// The row of a state: the next state for each event. A machine that was not created with a table has no rows,
    /// and ignores assignments.
    public subscript(_ state: State) -> [Event: State] {
        get { rows?.table[state] ?? [:] }
        set { rows?.table[state] = newValue }
    }

    /// Nil if the machine was not created with a table.
    private var rows: TableRows<State, Event>? { typedFeatures?.table as? TableRows<State, Event> }

    /// Sends an event and returns the new state. Returns nil if the event is refused, for example because no row takes the
    /// event. During a step the event is posted instead, and the present state is returned.
    @discardableResult public func transition(_ event: Event) -> State? { sendIfAccepted(event) }
}
