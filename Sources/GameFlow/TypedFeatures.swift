/// The properties of a `StateMachine` for features that few machines use: validators, hooks, observers, effect handlers,
/// deferred events and declared timers. These features need the types of the machine's states and events. One object has all of
/// these properties, so that a machine without these features only stores a nil reference.
///
/// The machine reads these properties at each event. Swift would check at run time that accesses do not overlap; these checks
/// take time, and `@exclusivity(unchecked)` switches them off.
@usableFromInline final class TypedFeatures<State, Event> {
    /// What the machine does with an event that no row accepts.
    let unhandled: UnhandledEventPolicy
    /// Called with the refusal of each event that has no waiting caller: a posted event, a timer's signal, or the late result
    /// of an effect handler.
    @exclusivity(unchecked) var didRefuse: ((Refusal<State, Event>) -> Void)?
    /// The deferred events, oldest first.
    @exclusivity(unchecked) @usableFromInline
    var deferredEvents: [StateMachine<State, Event>.DeferredEvent] = []
    /// Predicates on the transitions. A transition is refused if any validator returns false for it.
    @exclusivity(unchecked) var validators: [Validator<State, Event>] = []
    @exclusivity(unchecked) var hooks: [Hook<State, Event>] = []
    /// Reports the state to its observers; nil until the state is observed for the first time.
    @exclusivity(unchecked) @usableFromInline var publisher: StatePublisher<State>?
    /// The asynchronous handlers of effects and their running tasks; nil if the machine has none.
    @exclusivity(unchecked) var handlers: EffectHandlers<State, Event>?
    /// Whether a handler gets the effects with their types.
    @exclusivity(unchecked) @usableFromInline var handlesTypedEffects = false
    /// The effects that the present step requests, with their types, until their handlers are started. Empty unless
    /// `handlesTypedEffects` is true.
    @exclusivity(unchecked) @usableFromInline var effects: [Any] = []
    /// Returns the timers of a state, for a machine without a flow.
    @exclusivity(unchecked) var timers: ((State) -> [TimerDeclaration<Event>])?
    /// The events that the timers of the present state send, by the timers' tags, for a machine without a flow.
    @exclusivity(unchecked) var timerEvents: [Event] = []
    /// The number of the timers of the present state that its `PlainEntry` has set. Their tags come before those of declared timers.
    @exclusivity(unchecked) var entryTimerCount = 0

    /// The `TableRows` of a machine that was created with a table of transitions; nil for other machines.
    var table: AnyObject?
    #if canImport(Observation)
        /// Reports to Swift's Observation when `state` is read or changes. Allocated when `state` is read for the first time.
        @exclusivity(unchecked) var tracking: ObservationTracking<State, Event>?
    #endif

    init(unhandled: UnhandledEventPolicy) { self.unhandled = unhandled }

    /// Ends what goes on without the machine: the tasks of effect handlers, and the sequences of its states.
    func end() {
        handlers?.cancelCurrent()
        publisher?.finish()
    }

    /// Removes and returns the effects of the present step; nil in place of each if they were not kept.
    func takeEffects(_ count: Int) -> [Any?] {
        guard effects.count == count else { return Array(repeating: nil, count: count) }
        defer { effects = [] }
        return effects
    }

    /// Whether steps have to be reported to validators, hooks, observers or handlers.
    var hasTypedObservers: Bool {
        !validators.isEmpty || !hooks.isEmpty || publisher != nil || handlers != nil || isTracked
    }

    /// Whether steps have to be reported to observers, and to nothing else.
    var hasOnlyObservers: Bool {
        publisher != nil && validators.isEmpty && hooks.isEmpty && handlers == nil && !isTracked
    }

    private var isTracked: Bool {
        #if canImport(Observation)
            tracking != nil
        #else
            false
        #endif
    }

    /// Asks the validators about a transition; throws if one refuses it.
    func validate(_ from: State, _ event: Event, _ to: State) throws(Reason) {
        for validator in validators where !validator(from, event, to) {
            throw .invalid("transition", "a validator refused it")
        }
    }

    /// Asks the validators and the hooks before a transition; throws if one refuses it.
    func askValidatorsAndHooks(_ from: State, _ event: Event, _ to: State) throws(Reason) {
        try validate(from, event, to)
        for hook in hooks { try hook.callWill(from, event, to) }
    }
}
