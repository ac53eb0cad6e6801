public import Timers

extension StateMachine {
    /// Creates a machine from a truth table, written as a function: `reduce` returns the next state for a state and an event,
    /// or nil if no row of the table takes the event. For each transition, the machine first calls all `validators` in their
    /// order, and then all `hooks` in their order. A row that returns the present state enters it again, so its timers start
    /// again; a flow type (`ReducerFlow`) can also keep a state. `unhandled` says what happens to an event that no row takes.
    ///
    /// If `clock` is nil, the machine creates and retains a `TaskClock`, whose timers fire on the actor `isolation`: by default
    /// the caller's.
    public convenience init(
        initial: State, on clock: (any TimerClock)? = nil,
        reduce: @escaping (State, Event) -> State?, validators: [Validator<State, Event>] = [],
        hooks: [Hook<State, Event>] = [], unhandled: UnhandledEventPolicy = .throw,
        isolation: isolated (any Actor)? = #isolation
    ) {
        let engine = Engine<State, Event>(initial) { state, event throws(Reason) in
            guard let next = reduce(state, event) else { throw .noTransition }
            return next
        }
        self.init(
            engine, on: clock ?? TaskClock(isolation: isolation), hooks: hooks,
            validators: validators, unhandled: unhandled)
    }
}
