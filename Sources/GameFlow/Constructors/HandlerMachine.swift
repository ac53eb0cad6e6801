public import Timers

extension StateMachine {
    /// Creates a machine from a handler, which assigns the next state:
    ///
    ///     StateMachine<Onboarding, OnboardingEvent>(initial: .accountLoader) { state, event in
    ///         switch (state, event) {
    ///         case (.accountLoader, .accountLoaderFinished): state = .welcome
    ///         default: throw .noTransition
    ///         }
    ///     }
    ///
    /// The handler gets a copy of the state, and must not have side effects. If it throws, nothing changes; an error that is
    /// not a `Reason` is reported as `hookRefused`. Without a clock the machine makes and keeps a
    /// `TaskClock` on the caller's actor.
    public convenience init(
        initial: State, on clock: (any TimerClock)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        handler: @escaping (inout State, Event) throws -> Void
    ) {
        let engine = Engine<State, Event>(initial) { state, event throws(Reason) in
            var next = state
            do { try handler(&next, event) } catch {
                throw error as? Reason ?? .hookRefused("handler", "\(error)")
            }
            return next
        }
        self.init(engine, on: clock ?? TaskClock(isolation: isolation))
    }
}
