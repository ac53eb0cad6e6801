public import Timers

/// The rows of a table machine, shared by the machine and its engine.
final class TableRows<State: Hashable, Event: Hashable> {
    var table = TransitionTable<State, Event>()
}

extension StateMachine where State: Hashable, Event: Hashable {
    /// Creates a machine with an empty table, which is filled by subscript:
    ///
    ///     let registration = StateMachine<Screen, Action>(initial: .login)
    ///     registration[.login] = [.next: .createProfile, .login: .finished]
    ///
    /// Without a clock the machine makes and keeps a `TaskClock` on the caller's actor.
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
        createdTypedFeatures.table = rows
    }

    /// The row of a state: the next state for each event. A machine that was not created with a table has no rows,
    /// and ignores assignments.
    public subscript(_ state: State) -> [Event: State] {
        get { rows?.table[state] ?? [:] }
        set { rows?.table[state] = newValue }
    }

    private var rows: TableRows<State, Event>? { typedFeatures?.table as? TableRows<State, Event> }

    /// Sends an event and returns the state that it leads to; nil if no row takes it.
    public func transition(_ event: Event) -> State? {
        do throws(Refusal<State, Event>) { return try send(event) } catch { return nil }
    }
}
