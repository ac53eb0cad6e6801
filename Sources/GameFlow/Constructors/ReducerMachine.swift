public import Timers

extension StateMachine {
    /// Creates a machine from a truth table: `reduce` returns the next state for a state and an event, or nil if no
    /// row takes the event. The validators and hooks are called in order for each transition; `unhandled` says
    /// what happens to an event that no row takes.
    ///
    /// Without a clock the machine makes and keeps a `TaskClock` on the caller's actor.
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
