public import Timers

extension StateMachine {
    /// Creates a machine from a handler, which assigns the next state:
    ///
    ///     let onboarding = StateMachine<Onboarding, OnboardingEvent>(initial: .accountLoader) { state, event in
    ///         switch (state, event) {
    ///         case (.accountLoader, .accountLoaderFinished): state = .welcome
    ///         default: throw .noTransition
    ///         }
    ///     }
    ///
    /// The handler gets a copy of the state, and must not have side effects. If it throws, nothing changes. An error that is
    /// not a `Reason` is reported as the reason `handlerRefused` with the error's description. If `clock` is nil, the machine creates
    /// and retains a `TaskClock`, whose timers fire on the actor `isolation`: by default the caller's.
    public convenience init(
        initial: State, on clock: (any TimerClock)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        handler: @escaping (inout State, Event) throws -> Void
    ) {
        let engine = Engine<State, Event>(initial) { state, event throws(Reason) in
            var next = state
            do { try handler(&next, event) } catch {
                throw error as? Reason ?? .handlerRefused("\(error)")
            }
            return next
        }
        self.init(engine, on: clock ?? TaskClock(isolation: isolation))
    }
}
