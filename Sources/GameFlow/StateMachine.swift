public import Timers

/// A state machine. It has one state. For each event, it calls the flow's selector, and runs the transition that the selector
/// returns.
///
///     let game = StateMachine(Game(), on: VirtualClock())
///     try game.send(.startPlaying)
///
/// A machine belongs to the thread or actor on which it was created. An event that a hook, an observer or a transition sends is
/// posted: the machine handles it after the present step.
public final class StateMachine<State, Event>: AnyMachine {
    /// The flow's functions with the flow's types, shared by all machines of the flow.
    @usableFromInline let engine: Engine<State, Event>
    /// The present state; nil until the first state is entered.
    @exclusivity(unchecked) @usableFromInline var current: State?
    /// The event that led into the present state; nil if there was none.
    @exclusivity(unchecked) @usableFromInline var lastEvent: Event?
    /// The properties that few machines need. Nil until the machine needs one of these properties.
    @exclusivity(unchecked) @usableFromInline var typedFeatures: TypedFeatures<State, Event>?
    /// Called with the refusal of each event that has no caller. Posted events, timers' signals and late results of effect
    /// handlers have no caller.
    public var didRefuse: ((Refusal<State, Event>) -> Void)? {
        get { typedFeatures?.didRefuse }
        set {
            if newValue != nil || typedFeatures != nil {
                existingOrNewTypedFeatures.didRefuse = newValue
            }
        }
    }

    /// A deferred event.
    @usableFromInline struct DeferredEvent {
        @usableFromInline let event: Event
        /// The sender, and the arguments as received; nil if the program sent the typed event.
        @usableFromInline let context: EventContext?
        @usableFromInline init(event: Event, context: EventContext?) {
            (self.event, self.context) = (event, context)
        }
    }

    /// Creates a machine that has not entered a state. This initializer is inlinable, so that the compiler specialises it in
    /// the flow's module. Its speed matters, because a start of the daemon calls it for each session: unspecialised, it takes
    /// ten times as long.
    @inlinable init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on timerQueue: TimerQueue,
        _ queue: EventQueue, clock: (any TimerClock)? = nil, observer: (any MachineObserver)?,
        hooks: [any StepHook] = [], typedHooks: [Hook<State, Event>] = [],
        validators: [Validator<State, Event>] = [], unhandled: UnhandledEventPolicy = .throw
    ) {
        self.engine = engine
        super.init(flow, on: timerQueue, queue, clock: clock, observer: observer, hooks: hooks)
        if unhandled.isDefault, typedHooks.isEmpty, validators.isEmpty { return }
        addFeatures(typedHooks, validators, unhandled)
    }

    /// Creates `typedFeatures` for a new machine that has hooks, validators, or a policy other than the default.
    @usableFromInline func addFeatures(
        _ hooks: [Hook<State, Event>], _ validators: [Validator<State, Event>],
        _ unhandled: UnhandledEventPolicy
    ) {
        let newFeatures = TypedFeatures<State, Event>(unhandled: unhandled)
        (newFeatures.hooks, newFeatures.validators) = (hooks, validators)
        typedFeatures = newFeatures
        updateHasObservers()
    }

    deinit { typedFeatures?.end() }

    override func endFeatures() { typedFeatures?.end() }

    /// The typed features. Creates them at the first use.
    var existingOrNewTypedFeatures: TypedFeatures<State, Event> {
        if let typedFeatures { return typedFeatures }
        let newFeatures = TypedFeatures<State, Event>(unhandled: .throw)
        typedFeatures = newFeatures
        return newFeatures
    }

    override var hasTypedObservers: Bool { typedFeatures?.hasTypedObservers ?? false }
    override var hasOnlyTypedObservers: Bool { typedFeatures?.hasOnlyObservers ?? false }

    // MARK: sending

    /// Sends an event and returns the state after it. Every due timer fires first. During a step the event is
    /// posted instead, and the present state is returned.
    // In its caller, an event takes 30 instructions less than as a call of a function that throws.
    @inlinable @inline(__always) @discardableResult public func send(_ event: Event)
        throws(Refusal<State, Event>) -> State
    {
        // First of all: an actor that takes the machine over waits here until its timers have fired on the other one.
        timerQueue.adoptThread()
        if queue.isBusy {
            post(event)
            return current!
        }
        if preparesForEvents { prepareForEvent() }
        queue.isBusy = true
        // Without a context: the program is the sender.
        do throws(Reason) { try engine.take(self, event, nil) } catch {
            // The events that run now may leave the state that has refused.
            let refusal = refusal(error, event)
            queue.finish()
            throw refusal
        }
        queue.finish()
        return current!
    }

    /// Sends an event, and returns the state after it; nil if the event is refused, which changes nothing. For buttons and other
    /// senders that need no reason.
    @inlinable @discardableResult public func sendIfAccepted(_ event: Event) -> State? {
        do throws(Refusal<State, Event>) { return try send(event) } catch { return nil }
    }

    /// Returns the refusal of an event by the present state.
    @usableFromInline func refusal(_ reason: Reason, _ event: Event) -> Refusal<State, Event> {
        Refusal(
            reason, current!, event, last: lastEvent.map { ($0, enteredAt) },
            origin: (flow, engine))
    }

    /// Sends an event after the present step, or immediately if no step is running. A refusal goes to
    /// `didRefuse`.
    public func post(_ event: Event) {
        timerQueue.adoptContext()
        let isPosted = queue.post { [self] in
            do throws(Reason) { try engine.take(self, event, nil) } catch {
                reportRefusal(error, event)
            }
        }
        if !isPosted { reportRefusal(.tooManyPosts, event) }
    }

    /// Reports the refusal of an event that the program posted.
    private func reportRefusal(_ reason: Reason, _ event: Event) {
        if let didRefuse { didRefuse(refusal(reason, event)) }
        observer?.refused(engine.eventRecord(event), .program, reason)
    }

    /// Handles the signal whose raw value is `tag`. `missed` is the number of a pendulum's periods that were missed before it.
    override func fire(_ tag: UInt8, missed: Int) throws(Reason) {
        guard let event = engine.signalEvent(self, tag) else { return }
        do throws(Reason) {
            try engine.take(self, event, EventContext(.signal(tag), .timer, missed: missed))
        } catch {
            if let didRefuse { didRefuse(refusal(error, event)) }
            throw error
        }
    }

    // MARK: queries

    /// Whether the present state takes or defers the event. Calls the selector and the validators, and changes
    /// nothing.
    public func can(_ event: Event) -> Bool {
        timerQueue.adoptContext()
        if preparesForEvents { prepareForReading() }
        return queue.runAsStep {
            do throws(Reason) {
                try engine.check(self, event)
                return true
            } catch { return false }
        }
    }

    /// The names of the events that the state takes or defers for some arguments: also of an event if the selector refuses
    /// only the arguments. `trials` has samples of each event. The validators are not asked. `box` contains the machine's flow.
    /// Inlinable, so that the compiler specialises it in the flow's module: each answer with a session calls it.
    @inlinable func accepted<F: Flow>(
        _ box: FlowBox<F>, among trials: [(name: String, events: [Event])]
    ) -> [String]
    where F.State == State, F.Event == Event {
        guard let current, !isFinal(box) else { return [] }
        let hasMoment = keepsMoments && hasMoments
        var names: [String] = []
        names.reserveCapacity(trials.count)
        // The elements are read in place, because a copy counts references.
        for index in trials.indices {
            let isAccepted = trials[index].events.contains { event in
                do throws(Reason) {
                    return try box.flow.select(current, event).kind != .back || hasMoment
                } catch {
                    switch error.code {
                    case .noTransition, .finished: return false
                    default: return box.flow.mayTake(event, in: current)
                    }
                }
            }
            if isAccepted { names.append(trials[index].name) }
        }
        return names
    }

    /// Returns the invariants that the present state breaks.
    @usableFromInline func breaches(of invariants: [Invariant<State>]) -> [InvariantBreach] {
        guard let current else { return [] }
        return invariants.enumerated().compactMap { index, invariant in
            invariant.breach(current).map { InvariantBreach(index: index, sentence: $0) }
        }
    }

    /// The events that the state takes or defers for some arguments, in the flow's order. For a machine without a flow type, the
    /// cases of `Event` that the state takes, if the cases can be listed (`CaseIterable`); otherwise empty.
    public override var accepts: [String] {
        if preparesForEvents { prepareForReading() }
        guard flow.isPlaceholder, let cases = Event.self as? any CaseIterable.Type else {
            return super.accepts
        }
        return Self.events(of: cases).filter(can).map { engine.eventRecord($0).name }
    }

    private static func events<Cases: CaseIterable>(of cases: Cases.Type) -> [Event] {
        cases.allCases.compactMap { $0 as? Event }
    }

    override func describeState() -> StateRecord {
        current.map { engine.stateRecord(engine, $0) } ?? StateRecord("")
    }
    package override var deferredEvents: [(event: EventRecord, source: Source)] {
        // Most machines have none, and a generic list takes long to convert even if it is empty.
        guard hasDeferredEvents else { return [] }
        return (typedFeatures?.deferredEvents ?? []).map {
            (eventRecord($0.event, $0.context), $0.context?.source ?? .program)
        }
    }
    public override var deferredCount: Int {
        hasDeferredEvents ? typedFeatures?.deferredEvents.count ?? 0 : 0
    }

    // MARK: steps
    // In these methods, `box` contains the machine's flow. `context` has the event's sender and its arguments as received. The
    // context is nil if the program sent the typed event.

    /// Returns the record of an event: as received if it was sent by name, otherwise derived from its case.
    @usableFromInline func eventRecord(_ event: Event, _ context: EventContext?) -> EventRecord {
        context.flatMap(flow.eventRecord) ?? engine.eventRecord(event)
    }

    /// Calls the flow's selector for an event in the present state. Throws `finished` in a final state.
    @inlinable func select<F: Flow>(_ box: FlowBox<F>, _ event: Event) throws(Reason)
        -> FlowTransition<F>
    where F.State == State, F.Event == Event {
        guard let current, !isFinal(box) else { throw .finished }
        return try box.flow.select(current, event)
    }

    /// Whether the present state is a final state.
    @inlinable func isFinal<F: Flow>(_ box: FlowBox<F>) -> Bool where F.State == State {
        guard hasFinals, let current else { return false }
        return box.finals.contains(box.flow.describe(current).name)
    }

    /// Checks a transition that the selector has chosen, without carrying it out: the next state is made, checked by the validators and
    /// discarded.
    @usableFromInline func validate<F: Flow>(_ transition: FlowTransition<F>, _ event: Event)
        throws(Reason)
    where F.State == State, F.Event == Event {
        switch transition.kind {
        case .defer:
            guard deferredCount < Self.deferLimit else { throw .deferQueueFull }
            return
        case .stay:
            // A beat changes nothing, and so the validators are not asked.
            if transition.effect != nil {
                try typedFeatures?.validate(current!, event, current!)
            }
            return
        case .back: if !hasMoments { throw .noTransition }
        case .keep, .enter: break
        }
        try discardingEntry { () throws(Reason) in
            let transition =
                transition.kind == .back
                ? try returning(engine.box(F.self), transition, event) : transition
            let next = try makingEntry { () throws(Reason) in
                try transition.make(Entry(machine: self))
            }
            if transition.kind == .keep { try checkKept(engine.box(F.self).flow, next) }
            try typedFeatures?.validate(current!, event, next)
        }
    }

    /// Throws if a state that is kept has another name, which is a mistake of the selector: the old state's timers would run on in
    /// the new state.
    @inlinable func checkKept<F: Flow>(_ flow: F, _ next: State) throws(Reason)
    where F.State == State, F.Event == Event {
        let (from, to) = (flow.describe(current!).name, flow.describe(next).name)
        guard from == to else {
            throw .invalid("state", "\(from.rawValue) is kept as \(to.rawValue)")
        }
    }

    /// Calls the selector and runs the transition that it returns.
    @inlinable func take<F: Flow>(
        _ box: FlowBox<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason)
    where F.State == State, F.Event == Event {
        let transition: FlowTransition<F>
        do throws(Reason) { transition = try select(box, event) } catch {
            guard ignores(error, event, context) else { throw error }
            return
        }
        switch transition.kind {
        case .stay, .keep: try keep(box.flow, transition, event, context)
        case .defer: try deferEvent(event, context)
        case .enter:
            try enter(box.flow, transition, .enter, event, context)
            if hasDeferredEvents { retryDeferred(box) }
        case .back:
            do throws(Reason) { try goBack(box, transition, event, context) } catch {
                guard error == .noTransition, ignores(error, event, context) else { throw error }
                return
            }
            if hasDeferredEvents { retryDeferred(box) }
        }
    }

    /// Whether the machine's policy is to ignore a refusal for this reason; logs the refusal if the policy says so.
    @usableFromInline func ignores(_ reason: Reason, _ event: Event, _ context: EventContext?)
        -> Bool
    {
        guard let typedFeatures else { return false }
        return typedFeatures.unhandled.ignores(
            reason, eventRecord(event, context), in: place.state)
    }

    /// Enters a state because of a command, `open` or `goto`, without an event. Effects are not requested.
    @inlinable func enterByCommand<F: Flow>(
        _ box: FlowBox<F>, _ transition: FlowTransition<F>, _ kind: Step.Kind, _ source: Source
    ) throws(Reason) where F.State == State, F.Event == Event {
        let withoutEffects = FlowTransition<F>(kind: .enter, make: transition.make)
        try enter(box.flow, withoutEffects, kind, nil, EventContext(.command, source))
        if hasDeferredEvents { retryDeferred(box) }
    }

    /// Enters a state of a flow because of an event or, if `event` is nil, of a command. If it throws, nothing has changed.
    @inlinable func enter<F: Flow>(
        _ flow: F, _ transition: FlowTransition<F>, _ kind: Step.Kind, _ event: Event?,
        _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        var next: State?
        do throws(Reason) {
            next = try makingEntry { () throws(Reason) in
                try transition.make(Entry(machine: self))
            }
        } catch {
            abandonEntry()
            throw error
        }
        if hasObservers, !onlyPublishes {
            if let typedFeatures, typedFeatures.handlesTypedEffects {
                typedFeatures.effects = transition.typedEffects
            }
            return try enterAndReport(
                next.take()!, kind, event, context, engine.box(F.self).effects(of: transition))
        }
        if keepsMoments {
            setMoments(momentsAfterEntry(engine.stateRecord(engine, next!).state, kind))
        }
        beginEntry()
        lastEvent = event
        // The old state is released at the end of this scope, after every access to the property.
        swap(&current, &next)
        if cachedRecord != nil { cachedRecord = nil }
        if hasRequests { carryOutRequests(from: context?.source) }
        if hasObservers { typedFeatures?.publisher?.publish(next, current!) }
    }

    /// Enters a state that was already made, and reports the step. If a hook or a validator refuses the step, throws, and
    /// nothing has changed. `timerEvents` are the events of the new state's timers, for a machine without a flow; a `PlainEntry` has set
    /// the first `entryTimerCount` of them.
    @inlinable func enterAndReport(
        _ next: consuming State, _ kind: Step.Kind, _ event: Event?, _ context: EventContext?,
        _ effects: [EffectRecord], timerEvents: [Event]? = nil, entryTimerCount: Int = 0
    ) throws(Reason) {
        let to = needsRecords ? engine.stateRecord(engine, next) : nil
        var step: Step?
        do throws(Reason) {
            if let typedFeatures, kind == .enter { try checkStep(typedFeatures, event, next) }
            if let to {
                step = try makeStep(
                    kind, event.map { eventRecord($0, context) }, context?.source ?? .program,
                    from: current == nil ? nil : place, to: to, effects)
            }
        } catch {
            abandonEntry()
            throw error
        }
        willChange()
        if keepsMoments {
            let name = to?.state ?? engine.stateRecord(engine, next).state
            setMoments(momentsAfterEntry(name, kind))
        }
        beginEntry()
        lastEvent = event
        // Holds the new state before the swap, and the old state after it.
        var previous: State? = next
        swap(&current, &previous)
        cachedRecord = to
        if let typedFeatures { endPreviousEntry(typedFeatures, timerEvents, entryTimerCount) }
        didChange()
        if hasRequests { carryOutRequests(from: context?.source) }
        // The step is moved out of the variable. A copy would retain each value of the step.
        if step != nil { report(step.take()!) }
        if let typedFeatures {
            notifyTypedObservers(typedFeatures, from: previous, kind, event, effects)
        }
    }

    /// Asks the validators and the typed hooks about a step; throws if one refuses it.
    @usableFromInline func checkStep(
        _ typedFeatures: TypedFeatures<State, Event>, _ event: Event?, _ next: State
    ) throws(Reason) {
        if let event, let current { try typedFeatures.askValidatorsAndHooks(current, event, next) }
    }

    /// Makes the new state the one that derived values read, and cancels the effect handlers that the previous entry started.
    /// Replaces the events of the timers, if `timerEvents` is not nil; see `enterAndReport`.
    @usableFromInline func endPreviousEntry(
        _ typedFeatures: TypedFeatures<State, Event>, _ timerEvents: [Event]?,
        _ entryTimerCount: Int
    ) {
        if let timerEvents {
            (typedFeatures.timerEvents, typedFeatures.entryTimerCount) = (
                timerEvents, entryTimerCount
            )
        }
        typedFeatures.publisher?.update(current!)
        typedFeatures.handlers?.cancelCurrent()
    }

    /// Reports a step to the typed hooks and observers, and starts the handlers of its effects.
    @usableFromInline func notifyTypedObservers(
        _ typedFeatures: TypedFeatures<State, Event>, from old: State?, _ kind: Step.Kind,
        _ event: Event?, _ effects: [EffectRecord]
    ) {
        let new = current!
        if kind == .enter || kind == .keep, let event, let old {
            for hook in typedFeatures.hooks { hook.did?(old, event, new) }
        }
        typedFeatures.publisher?.notify(old, new)
        if let handlers = typedFeatures.handlers {
            let values = typedFeatures.takeEffects(effects.count)
            for (effect, value) in zip(effects, values) {
                handlers.start(.init(record: effect, value: value))
            }
        }
    }

    /// Reports to the platform's Observation that the state is about to change.
    @usableFromInline func willChange() {
        #if canImport(Observation)
            typedFeatures?.tracking?.willChange(self)
        #endif
    }

    /// Reports to the platform's Observation that the state has changed.
    @usableFromInline func didChange() {
        #if canImport(Observation)
            typedFeatures?.tracking?.didChange(self)
        #endif
    }

    /// Posts the results of finished effect handlers that run on no actor.
    override func postResults() {
        guard let handlers = typedFeatures?.handlers else { return }
        handlers.postResults?(handlers)
    }

    /// Reports that an event, the late result of an effect handler, is refused: the entry that started the handler is over.
    func reportLate(_ event: Event) { reportRefusal(.stale, event) }

    /// Stays in the state: its data may change and its timers run on.
    @inlinable func keep<F: Flow>(
        _ flow: F, _ transition: FlowTransition<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        var next: State?
        if transition.kind == .keep {
            do throws(Reason) {
                next = try makingEntry { () throws(Reason) in
                    try transition.make(Entry(machine: self))
                }
                try checkKept(flow, next!)
            } catch {
                abandonEntry()
                throw error
            }
        }
        if hasObservers, !onlyPublishes {
            if let typedFeatures, typedFeatures.handlesTypedEffects {
                typedFeatures.effects = transition.typedEffects
            }
            return try keepAndReport(
                next, event, context, engine.box(F.self).effects(of: transition))
        }
        if next != nil {
            swap(&current, &next)
            cachedRecord = nil
            if hasAdjustments { adjustTimers() }
            if hasRequests { carryOutRequests(from: context?.source) }
            if hasObservers { typedFeatures?.publisher?.publish(next, current!) }
        } else if hasObservers, transition.effect != nil {
            typedFeatures?.publisher?.publish(current, current!)
        }
    }

    /// Stays in the state, and reports the step. `next` is the state with its new data; nil if the data are unchanged.
    @inlinable func keepAndReport(
        _ next: State?, _ event: Event, _ context: EventContext?, _ effects: [EffectRecord]
    ) throws(Reason) {
        let changesNothing = effects.isEmpty && next == nil
        var step: Step?
        do throws(Reason) {
            if let typedFeatures, !changesNothing {
                try checkStep(typedFeatures, event, next ?? current!)
            }
            if needsRecords {
                let (from, to) = (place, next.map { engine.stateRecord(engine, $0) } ?? place)
                let isBeat = effects.isEmpty && !hasAdjustments && (next == nil || to == from)
                step = Step(
                    .keep, eventRecord(event, context), from: context?.source ?? .program,
                    from, to, effects: effects, isBeat: isBeat, missed: context?.missed ?? 0)
                if !isBeat { try askHooks(step!) }
            }
        } catch {
            if hasRequests || hasAdjustments { abandonEntry() }
            throw error
        }
        let old = current
        if next != nil {
            willChange()
            var next = next
            swap(&current, &next)
            cachedRecord = step?.to
        }
        if let typedFeatures, !changesNothing { typedFeatures.publisher?.update(current!) }
        if next != nil { didChange() }
        if hasAdjustments { adjustTimers() }
        if hasRequests { carryOutRequests(from: context?.source) }
        if step != nil { report(step.take()!) }
        if let typedFeatures, !changesNothing {
            notifyTypedObservers(typedFeatures, from: old, .keep, event, effects)
        }
    }

    // MARK: deferred events

    /// Adds an event to the deferred events. Throws `deferQueueFull` if the machine already has `deferLimit` deferred events.
    @usableFromInline func deferEvent(_ event: Event, _ context: EventContext?) throws(Reason) {
        guard deferredCount < Self.deferLimit else { throw .deferQueueFull }
        existingOrNewTypedFeatures.deferredEvents.append(
            DeferredEvent(event: event, context: context))
        hasDeferredEvents = true
        reportWithoutTransition(.defer, event, context)
    }

    /// Restores the deferred events, oldest first.
    @usableFromInline func restore(deferred events: [DeferredEvent]) {
        hasDeferredEvents = !events.isEmpty
        if hasDeferredEvents || typedFeatures != nil {
            existingOrNewTypedFeatures.deferredEvents = events
        }
    }

    /// Reports that an event was deferred, or dropped for the reason `why`.
    @usableFromInline func reportWithoutTransition(
        _ kind: Step.Kind, _ event: Event, _ context: EventContext?, why: Reason? = nil
    ) {
        guard needsRecords else { return }
        report(
            Step(
                kind, eventRecord(event, context), from: context?.source ?? .program,
                place, place, why: why))
    }

    /// Sends the deferred events to the state again after an entry, oldest first. If one of them enters a state, starts
    /// again from the oldest. Drops an event that is now refused.
    @inlinable func retryDeferred<F: Flow>(_ box: FlowBox<F>)
    where F.State == State, F.Event == Event {
        guard let typedFeatures else { return }
        var index = 0
        while index < typedFeatures.deferredEvents.count {
            let deferred = typedFeatures.deferredEvents.remove(at: index)
            let (event, context) = (deferred.event, deferred.context)
            do throws(Reason) {
                let transition = try select(box, event)
                switch transition.kind {
                case .stay, .keep: try keep(box.flow, transition, event, context)
                case .enter:
                    try enter(box.flow, transition, .enter, event, context)
                    index = 0
                case .back:
                    try goBack(box, transition, event, context)
                    index = 0
                case .defer:
                    typedFeatures.deferredEvents.insert(deferred, at: index)
                    index += 1
                }
            } catch { reportWithoutTransition(.drop, event, context, why: error) }
        }
        hasDeferredEvents = !typedFeatures.deferredEvents.isEmpty
    }
}

extension StateMachine {
    /// The present state. It always exists, because a machine enters its first state before its initialiser returns.
    ///
    /// If the platform has Observation, `withObservationTracking` notices a read of this property, and reports the next change.
    public var state: State { readState() }

    /// Returns the present state, and reports the read to the platform's Observation.
    func readState() -> State {
        #if canImport(Observation)
            track()
        #endif
        // The caller may use the handles in the state.
        timerQueue.adoptContext()
        if preparesForEvents { prepareForReading() }
        return current!
    }

    /// Creates a machine in the flow's initial state. The machine retains the clock. `hooks` and `validators` are called
    /// after the flow's own.
    ///
    /// - Precondition: The flow can enter its initial state.
    @inlinable public convenience init<F: Flow>(
        _ flow: F, on clock: any TimerClock, hooks: [Hook<State, Event>] = [],
        validators: [Validator<State, Event>] = [], unhandled: UnhandledEventPolicy = .throw
    ) where F.State == State, F.Event == Event {
        self.init(
            AnyFlow(flow), Engine(flow), on: clock, hooks: flow.hooks() + hooks,
            validators: flow.validators() + validators, unhandled: unhandled)
    }

    /// Creates a machine with hooks that work with names and values, such as `StateTimes`. They are called after the flow's own.
    ///
    /// - Precondition: The flow can enter its initial state.
    @_disfavoredOverload public convenience init<F: Flow>(
        _ flow: F, on clock: any TimerClock, hooks: [any StepHook],
        validators: [Validator<State, Event>] = [], unhandled: UnhandledEventPolicy = .throw
    ) where F.State == State, F.Event == Event {
        let (anyFlow, engine) = (AnyFlow(flow), Engine(flow))
        self.init(
            anyFlow, engine, on: clock.timerQueue, EventQueue(), clock: clock, observer: nil,
            hooks: hooks, typedHooks: flow.hooks(),
            validators: flow.validators() + validators, unhandled: unhandled)
        enterFirstState()
    }

    /// Enters the initial state.
    private func enterFirstState() {
        if flow.drawsChance { setSeed(.random(in: .min ... .max)) }
        do throws(Reason) {
            try timerQueue.whileMaking { () throws(Reason) in
                try queue.run { () throws(Reason) in try engine.start(self) }
            }
        } catch {
            preconditionFailure("\(flow.name) cannot begin: \(error.sentence)")
        }
    }

    /// Creates a machine on a real clock of its own, whose timers fire on the caller's actor. If the caller has
    /// no actor, as an initial value, they fire on the actor that uses the machine first. See `TaskClock`.
    @inlinable public convenience init<F: Flow>(
        _ flow: F, hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw, isolation: isolated (any Actor)? = #isolation
    ) where F.State == State, F.Event == Event {
        self.init(
            flow, on: TaskClock(isolation: isolation), hooks: hooks, validators: validators,
            unhandled: unhandled)
    }

    /// Creates a machine that shares `flow` and `engine` with other machines of the same flow. Sharing saves most of the memory
    /// per machine.
    ///
    /// - Precondition: The flow can enter its initial state.
    public convenience init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on clock: any TimerClock,
        hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw
    ) {
        self.init(
            flow, engine, on: clock.timerQueue, EventQueue(), clock: clock, observer: nil,
            typedHooks: hooks, validators: validators, unhandled: unhandled)
        enterFirstState()
    }

    /// Enters any state without an event, with new timers and no effects, for a preview or a test. If the machine was created
    /// with a flow, the flow's `entering` makes the state from the name and the data of `state`. If `entering` throws, nothing
    /// changes, and `didRefuse` is not called. During a step, the state is entered after that step.
    public func start(at state: State) {
        timerQueue.adoptContext()
        if preparesForEvents, !queue.isBusy { prepareForEvent() }
        // If too many events were posted, nothing changes, as with a state that the flow refuses.
        _ = queue.post { [self] in _ = try? engine.enterState(self, state) }
    }

    /// The running and the paused timers of the present state, in the order in which its entry set them.
    public var timers: [StateTimer<Event>] {
        if preparesForEvents { prepareForReading() }
        return liveTimers.compactMap { timer in
            engine.signalEvent(self, timer.info.tag).map { StateTimer(signal: $0, timer.info) }
        }
    }
}

/// A running or paused timer of a state.
public struct StateTimer<Event> {
    /// The event that the timer sends; for a stopwatch, which sends none, the event whose signal names it.
    public let signal: Event
    public let kind: TimerKind
    /// The time until the timer fires; for a paused timer, the remaining time when it was paused. Negative for a countdown in
    /// overtime; zero for a stopwatch.
    public let remaining: Duration
    /// The time for which a stopwatch has run; zero for any other timer.
    public let spent: Duration
    /// A countdown's full duration with its extensions; a pendulum's period; zero for a stopwatch.
    public let total: Duration
    /// Whether the timer is paused.
    public let paused: Bool

    init(signal: Event, _ info: TimerInfo) {
        self.signal = signal
        (kind, spent) = (info.kind, info.spent)
        remaining = kind == .stopwatch ? .zero : info.remaining
        (total, paused) = (info.total, info.isPaused)
    }
}
