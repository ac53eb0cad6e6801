public import Timers

/// A state machine: it has one state, calls the flow's selector for each event, and runs the transition that the
/// selector returns.
///
///     let game = StateMachine(Game(), on: VirtualClock())
///     try game.send(.startPlaying)
///
/// It belongs to the thread or actor on which it was created. An event that a hook, an observer or a transition
/// sends is posted: the machine handles it after the present step.
public final class StateMachine<State, Event>: AnyMachine {
    @usableFromInline let engine: Engine<State, Event>
    @exclusivity(unchecked) @usableFromInline var current: State?
    /// The event that led into the present state; nil if there was none.
    @exclusivity(unchecked) @usableFromInline var lastEvent: Event?
    /// Allocated only for machines that need it; checking for nil costs one comparison.
    @exclusivity(unchecked) @usableFromInline var stateExtras: StateExtras<State, Event>?
    /// Called with the refusal of each event that has no caller: a posted event or a timer's signal.
    public var didRefuse: ((Refusal<State, Event>) -> Void)? {
        get { stateExtras?.didRefuse }
        set { if newValue != nil || stateExtras != nil { neededStateExtras.didRefuse = newValue } }
    }

    /// A deferred event.
    @usableFromInline struct Waiting {
        @usableFromInline let event: Event
        @usableFromInline let context: EventContext?
        @usableFromInline init(event: Event, context: EventContext?) {
            (self.event, self.context) = (event, context)
        }
    }

    /// Inlinable, so that it is specialised in the flow's module: unspecialised it takes ten times as long, and a start
    /// calls it for each session.
    @inlinable init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on timerQueue: TimerQueue,
        _ queue: EventQueue, clock: (any TimerClock)? = nil, observer: (any MachineObserver)?,
        hooks: [any StepHook] = [], typed: [Hook<State, Event>] = [],
        validators: [Validator<State, Event>] = [], unhandled: UnhandledEventPolicy = .throw
    ) {
        self.engine = engine
        super.init(flow, on: timerQueue, queue, clock: clock, observer: observer, hooks: hooks)
        if unhandled.isDefault, typed.isEmpty, validators.isEmpty { return }
        addExtras(typed, validators, unhandled)
    }

    @usableFromInline func addExtras(
        _ hooks: [Hook<State, Event>], _ validators: [Validator<State, Event>],
        _ unhandled: UnhandledEventPolicy
    ) {
        let extras = StateExtras<State, Event>(unhandled: unhandled)
        (extras.hooks, extras.validators) = (hooks, validators)
        stateExtras = extras
        updateIsWatched()
    }

    deinit {
        stateExtras?.handlers?.leave()
        stateExtras?.publisher?.finish()
    }

    /// The extras; creates them if there are none.
    var neededStateExtras: StateExtras<State, Event> {
        if let stateExtras { return stateExtras }
        let made = StateExtras<State, Event>(unhandled: .throw)
        stateExtras = made
        return made
    }

    override var isFollowed: Bool { stateExtras?.isFollowed ?? false }

    // MARK: sending

    /// Sends an event and returns the state after it. Every due timer fires first. During a step the event is
    /// posted instead, and the present state is returned.
    @inlinable @discardableResult public func send(_ event: Event)
        throws(Refusal<State, Event>) -> State
    {
        if queue.isBusy {
            post(event)
            return current!
        }
        if readsClock { readClock() }
        queue.isBusy = true
        do throws(Reason) { try engine.take(self, event, nil) } catch {
            queue.finish()
            throw refusal(error, event)
        }
        queue.finish()
        return current!
    }

    @usableFromInline func refusal(_ reason: Reason, _ event: Event) -> Refusal<State, Event> {
        Refusal(reason, current!, event, last: lastEvent.map { ($0, lastAt) })
    }

    /// Sends an event after the present step, or immediately if no step is running. A refusal goes to
    /// `didRefuse`.
    public func post(_ event: Event) {
        let isTaken = queue.post { [self] in
            do throws(Reason) { try engine.take(self, event, nil) } catch { report(error, event) }
        }
        if !isTaken { report(.tooManyPosts, event) }
    }

    private func report(_ reason: Reason, _ event: Event, from source: Source = .program) {
        if let didRefuse { didRefuse(refusal(reason, event)) }
        observer?.refused(engine.describe(event), source, reason)
    }

    override func fire(_ tag: UInt8, missed: Int) throws(Reason) {
        guard let event = engine.signal(self, tag) else { return }
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
        queue.during {
            do throws(Reason) {
                try engine.ask(self, event)
                return true
            } catch { return false }
        }
    }

    /// Whether the state takes or defers the event, ignoring the validators of its arguments.
    @usableFromInline func accepts<F: Flow>(_ box: FlowBox<F>, _ event: Event) -> Bool
    where F.State == State, F.Event == Event {
        do throws(Reason) {
            _ = try select(box, event)
            return true
        } catch { return error != .noTransition && error != .finished }
    }

    @usableFromInline func broken(_ invariants: [Invariant<State>]) -> [String] {
        guard let current else { return [] }
        return invariants.filter { !$0.holds(current) }.map(\.sentence)
    }

    override func describeState() -> StateRecord {
        current.map { engine.place(engine, $0) } ?? StateRecord("")
    }
    override var deferredEvents: [(event: EventRecord, source: Source)] {
        (stateExtras?.waiting ?? []).map {
            (eventRecord($0.event, $0.context), $0.context?.source ?? .program)
        }
    }
    public override var deferredCount: Int { stateExtras?.waiting.count ?? 0 }

    // MARK: steps

    /// The record of an event: as received, or else derived from its case.
    @usableFromInline func eventRecord(_ event: Event, _ context: EventContext?) -> EventRecord {
        context.flatMap(flow.eventRecord) ?? engine.describe(event)
    }

    @inlinable func select<F: Flow>(_ box: FlowBox<F>, _ event: Event) throws(Reason)
        -> Transition<F>
    where F.State == State, F.Event == Event {
        guard let current, !isFinal(box) else { throw .finished }
        return try box.flow.select(current, event)
    }

    @inlinable func isFinal<F: Flow>(_ box: FlowBox<F>) -> Bool where F.State == State {
        guard hasFinals, let current else { return false }
        return box.finals.contains(box.flow.describe(current).name)
    }

    /// Asks the validators about a transition, without making it. The next state is made and dropped.
    @usableFromInline func validate<F: Flow>(_ transition: Transition<F>, _ event: Event)
        throws(Reason)
    where F.State == State, F.Event == Event {
        guard let stateExtras, !stateExtras.validators.isEmpty else { return }
        switch transition.kind {
        case .wait, .stay: return
        case .keep, .enter: break
        }
        try discarding { () throws(Reason) in
            let next = try transition.make(Entry(machine: self))
            try stateExtras.validate(current!, event, next)
        }
    }

    /// Calls the selector and runs the transition that it returns.
    @inlinable func take<F: Flow>(
        _ box: FlowBox<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason)
    where F.State == State, F.Event == Event {
        let transition: Transition<F>
        do throws(Reason) { transition = try select(box, event) } catch {
            guard ignores(error, event, context) else { throw error }
            return
        }
        switch transition.kind {
        case .stay, .keep: try keep(box.flow, transition, event, context)
        case .wait: try wait(event, context)
        case .enter:
            try enter(box.flow, transition, .enter, event, context)
            if isWaiting { retryDeferred(box) }
        }
    }

    @usableFromInline func ignores(_ reason: Reason, _ event: Event, _ context: EventContext?)
        -> Bool
    {
        guard let stateExtras else { return false }
        return stateExtras.unhandled.ignores(
            reason, eventRecord(event, context), in: place.state)
    }

    /// Enters a state by an order, for `open` and `goto`, without requesting effects.
    @inlinable func put<F: Flow>(
        _ box: FlowBox<F>, _ transition: Transition<F>, _ kind: Step.Kind, _ source: Source
    ) throws(Reason) where F.State == State, F.Event == Event {
        let silent = Transition<F>(kind: .enter, make: transition.make)
        try enter(box.flow, silent, kind, nil, EventContext(.order, source))
        if isWaiting { retryDeferred(box) }
    }

    /// Enters a state; all entries go through here. If it throws, nothing has changed.
    @inlinable func enter<F: Flow>(
        _ flow: F, _ transition: Transition<F>, _ kind: Step.Kind, _ event: Event?,
        _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        var next: State?
        do throws(Reason) { next = try transition.make(Entry(machine: self)) } catch {
            abandon()
            throw error
        }
        if isWatched {
            return try enterWatched(
                next.take()!, kind, event, context, engine.box(F.self).effects(of: transition))
        }
        begin()
        lastEvent = event
        // The old state is released at the end of this scope, after every access to the property.
        swap(&current, &next)
        if cachedRecord != nil { cachedRecord = nil }
        if hasPosts { sendPosts(from: context?.source) }
    }

    /// Enters a state that was already made, and reports the step. If a hook or a validator refuses it, nothing
    /// has changed. `timerEvents` are the events of timers that the machine, and not the flow, declares.
    @inlinable func enterWatched(
        _ next: consuming State, _ kind: Step.Kind, _ event: Event?, _ context: EventContext?,
        _ effects: [EffectRecord], timerEvents: [Event]? = nil
    ) throws(Reason) {
        let to = isRecorded ? engine.place(engine, next) : nil
        var step: Step?
        do throws(Reason) {
            if let stateExtras, kind == .enter { try ask(stateExtras, event, next) }
            if let to {
                step = try announce(
                    kind, event.map { eventRecord($0, context) }, context?.source ?? .program,
                    from: current == nil ? nil : place, to: to, effects)
            }
        } catch {
            abandon()
            throw error
        }
        willChange()
        begin()
        lastEvent = event
        var next: State? = next
        swap(&current, &next)
        cachedRecord = to
        if let stateExtras { entered(stateExtras, timerEvents) }
        didChange()
        if hasPosts { sendPosts(from: context?.source) }
        // Moved, because a copy counts a reference for each of its values.
        if step != nil { report(step.take()!) }
        if let stateExtras { follow(stateExtras, from: next, kind, event, effects) }
    }

    @usableFromInline func ask(
        _ stateExtras: StateExtras<State, Event>, _ event: Event?, _ next: State
    ) throws(Reason) {
        if let event, let current { try stateExtras.ask(current, event, next) }
    }

    /// Ends what belonged to the last entry.
    @usableFromInline func entered(
        _ stateExtras: StateExtras<State, Event>, _ timerEvents: [Event]?
    ) {
        if let timerEvents { stateExtras.timerEvents = timerEvents }
        stateExtras.handlers?.leave()
    }

    /// Reports a step to the typed hooks and observers, and starts the handlers of its effects.
    @usableFromInline func follow(
        _ stateExtras: StateExtras<State, Event>, from old: State?, _ kind: Step.Kind,
        _ event: Event?, _ effects: [EffectRecord]
    ) {
        let now = current!
        if kind == .enter || kind == .keep, let event, let old {
            for hook in stateExtras.hooks { hook.did?(old, event, now) }
        }
        stateExtras.publisher?.publish(old, now)
        if let handlers = stateExtras.handlers {
            for effect in effects { handlers.start(effect) }
        }
    }

    /// Reports to the platform's Observation that the state is about to change.
    @usableFromInline func willChange() {
        #if canImport(Observation)
            stateExtras?.tracking?.willChange(self)
        #endif
    }

    @usableFromInline func didChange() {
        #if canImport(Observation)
            stateExtras?.tracking?.didChange(self)
        #endif
    }

    /// Takes the results of handlers that run on no actor.
    override func takeResults() {
        guard let handlers = stateExtras?.handlers else { return }
        handlers.takeResults?(handlers)
    }

    /// Reports the result of a handler whose entry is over.
    func reportLate(_ event: Event) { report(.stale, event) }

    /// Stays in the state: its data may change and its timers run on.
    @inlinable func keep<F: Flow>(
        _ flow: F, _ transition: Transition<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        var next: State?
        if transition.kind == .keep {
            do throws(Reason) { next = try transition.make(Entry(machine: self)) } catch {
                abandon()
                throw error
            }
            // A fault of the selector: the timers would belong to another state.
            let (from, to) = (flow.describe(current!).name, flow.describe(next!).name)
            guard from == to else {
                abandon()
                throw .invalid("state", "\(from.rawValue) is kept as \(to.rawValue)")
            }
        }
        if isWatched {
            return try keepWatched(
                next, event, context, engine.box(F.self).effects(of: transition))
        }
        if next != nil {
            swap(&current, &next)
            cachedRecord = nil
            if hasAdjustments { adjustTimers() }
            if hasPosts { sendPosts(from: context?.source) }
        }
    }

    @inlinable func keepWatched(
        _ next: State?, _ event: Event, _ context: EventContext?, _ effects: [EffectRecord]
    ) throws(Reason) {
        let isSilent = effects.isEmpty && next == nil
        var step: Step?
        do throws(Reason) {
            if let stateExtras, !isSilent { try ask(stateExtras, event, next ?? current!) }
            if isRecorded {
                let (from, to) = (place, next.map { engine.place(engine, $0) } ?? place)
                let isBeat = effects.isEmpty && !hasAdjustments && (next == nil || to == from)
                step = Step(
                    .keep, eventRecord(event, context), from: context?.source ?? .program,
                    from, to, effects: effects, isBeat: isBeat, missed: context?.missed ?? 0)
                if !isBeat { try askHooks(step!) }
            }
        } catch {
            if hasPosts || hasAdjustments { abandon() }
            throw error
        }
        let old = current
        if next != nil {
            willChange()
            var next = next
            swap(&current, &next)
            cachedRecord = step?.to
            didChange()
        }
        if hasAdjustments { adjustTimers() }
        if hasPosts { sendPosts(from: context?.source) }
        if step != nil { report(step.take()!) }
        if let stateExtras, !isSilent { follow(stateExtras, from: old, .keep, event, effects) }
    }

    // MARK: deferred events

    @usableFromInline func wait(_ event: Event, _ context: EventContext?) throws(Reason) {
        guard deferredCount < Self.deferLimit else { throw .deferQueueFull }
        neededStateExtras.waiting.append(Waiting(event: event, context: context))
        isWaiting = true
        reportOutsideStep(.defer, event, context)
    }

    /// Restores the deferred events, oldest first.
    @usableFromInline func restore(waiting events: [Waiting]) {
        isWaiting = !events.isEmpty
        if isWaiting || stateExtras != nil { neededStateExtras.waiting = events }
    }

    /// Reports that an event was deferred or dropped.
    @usableFromInline func reportOutsideStep(
        _ kind: Step.Kind, _ event: Event, _ context: EventContext?, why: Reason? = nil
    ) {
        guard isRecorded else { return }
        report(
            Step(
                kind, eventRecord(event, context), from: context?.source ?? .program,
                place, place, why: why))
    }

    /// Offers the deferred events again after an entry, oldest first. If one of them enters a state, starts
    /// again from the oldest. Drops an event that is now refused.
    @inlinable func retryDeferred<F: Flow>(_ box: FlowBox<F>)
    where F.State == State, F.Event == Event {
        guard let stateExtras else { return }
        var at = 0
        while at < stateExtras.waiting.count {
            let next = stateExtras.waiting.remove(at: at)
            do throws(Reason) {
                let transition = try select(box, next.event)
                switch transition.kind {
                case .stay, .keep: try keep(box.flow, transition, next.event, next.context)
                case .enter:
                    try enter(box.flow, transition, .enter, next.event, next.context)
                    at = 0
                case .wait:
                    stateExtras.waiting.insert(next, at: at)
                    at += 1
                }
            } catch { reportOutsideStep(.drop, next.event, next.context, why: error) }
        }
        isWaiting = !stateExtras.waiting.isEmpty
    }
}

extension StateMachine {
    /// The present state. It always exists, because a machine enters its first state before its initialiser
    /// returns. Where the platform has Observation, a tracker that reads it is called at the next change.
    public var state: State { readState() }

    func readState() -> State {
        #if canImport(Observation)
            track()
        #endif
        return current!
    }

    /// Creates a machine in the flow's initial state. It retains the clock. `hooks` and `validators` are called
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

    /// Creates a machine on a real clock of its own, whose timers fire on the caller's actor. If the caller has
    /// none, due timers fire before the next event. See `TaskClock`.
    @inlinable public convenience init<F: Flow>(
        _ flow: F, hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw, isolation: isolated (any Actor)? = #isolation
    ) where F.State == State, F.Event == Event {
        self.init(
            flow, on: TaskClock(isolation: isolation), hooks: hooks, validators: validators,
            unhandled: unhandled)
    }

    /// Creates a machine that shares its flow's functions with others, which saves most of the memory per
    /// machine.
    ///
    /// - Precondition: The flow can enter its initial state.
    public convenience init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on clock: any TimerClock,
        hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw
    ) {
        self.init(
            flow, engine, on: clock.timerQueue, EventQueue(), clock: clock, observer: nil,
            typed: hooks, validators: validators, unhandled: unhandled)
        do throws(Reason) { try queue.run { () throws(Reason) in try engine.start(self) } } catch {
            preconditionFailure("\(flow.name) cannot begin: \(error.sentence)")
        }
    }

    /// Enters any state without an event, with new timers and no effects, for a preview or a test. A flow enters
    /// it by its name and data; if the flow refuses them, nothing changes, and `didRefuse` is not called. During a
    /// step it is entered after that step.
    public func start(at state: State) {
        if readsClock, !queue.isBusy { readClock() }
        _ = queue.post { [self] in _ = try? engine.order(self, state) }
    }

    /// The live timers of the present state, in the order in which they were set.
    public var timers: [StateTimer<Event>] {
        liveTimers.compactMap { timer in
            engine.signal(self, timer.info.tag).map { StateTimer(signal: $0, timer.info) }
        }
    }
}

/// A live timer of a state.
public struct StateTimer<Event> {
    public enum Kind: Sendable { case countdown, pendulum }

    /// The event that the timer sends.
    public let signal: Event
    public let kind: Kind
    /// The time until the timer fires; for a paused timer, the remaining time when it was paused.
    public let remaining: Duration
    /// A countdown's full duration with its extensions; a pendulum's period.
    public let total: Duration
    public let paused: Bool

    init(signal: Event, _ info: TimerInfo) {
        self.signal = signal
        kind = info.isPendulum ? .pendulum : .countdown
        (remaining, total, paused) = (info.remaining, info.total, info.isPaused)
    }
}
