public import Timers

/// A flow, and what all its machines share. Making a machine from a definition is fast, and takes little memory: most of a machine
/// belongs to its flow.
///
///     let kyc = FlowDefinition(KYC())
///     let machine = kyc.machine(on: clock)
///
/// A definition belongs to the thread or actor on which it was created, as its machines do.
public struct FlowDefinition<F: Flow> {
    /// The flow.
    public let flow: F
    /// The flow without its types.
    package let anyFlow: AnyFlow
    private let engine: Engine<F.State, F.Event>

    /// Creates a definition. This reads the flow's names and samples once.
    @inlinable public init(_ flow: F) {
        let engine = Engine(flow)
        self.init(flow, AnyFlow(flow, engine), engine)
    }

    @usableFromInline init(_ flow: F, _ anyFlow: AnyFlow, _ engine: Engine<F.State, F.Event>) {
        (self.flow, self.anyFlow, self.engine) = (flow, anyFlow, engine)
    }

    /// Creates a machine in the flow's initial state. The machine retains the clock. `hooks` and `validators` are called after the
    /// flow's own. `unhandled` says what happens to an event that no row takes.
    ///
    /// - Precondition: The flow can enter its initial state.
    public func machine(
        on clock: any TimerClock, hooks: [Hook<F.State, F.Event>] = [],
        validators: [Validator<F.State, F.Event>] = [], unhandled: UnhandledEventPolicy = .throw
    ) -> StateMachine<F.State, F.Event> {
        StateMachine(
            anyFlow, engine, on: clock, hooks: flow.hooks() + hooks,
            validators: flow.validators() + validators, unhandled: unhandled)
    }

    /// Creates a machine as above, on a real clock of its own, whose timers fire on the caller's actor. If the caller has no actor,
    /// they fire on the actor that uses the machine first.
    public func machine(
        hooks: [Hook<F.State, F.Event>] = [], validators: [Validator<F.State, F.Event>] = [],
        unhandled: UnhandledEventPolicy = .throw, isolation: isolated (any Actor)? = #isolation
    ) -> StateMachine<F.State, F.Event> {
        machine(
            on: TaskClock(isolation: isolation), hooks: hooks, validators: validators,
            unhandled: unhandled)
    }
}
