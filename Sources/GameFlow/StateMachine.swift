public import Timers

/// A machine: it holds one state, asks the flow's selector about each event, and runs the transition that this names.
///
///     let game = StateMachine(Game(), on: VirtualClock())
///     try game.send(.startPlaying)
///
/// Belongs to the thread, or the actor, on which it was made. A send from inside a hook, an observer or a transition
/// posts the event: it has its turn after the present step.
public final class StateMachine<State, Event>: AnyMachine {
    @usableFromInline let engine: Engine<State, Event>
    @exclusivity(unchecked) @usableFromInline var current: State?
    /// The event that led into the present state; nil if none did.
    @exclusivity(unchecked) @usableFromInline var lastEvent: Event?
    /// What most machines have not; nil costs a comparison.
    @exclusivity(unchecked) @usableFromInline var rules: StateExtras<State, Event>?
    /// Whether events wait for another state.
    @exclusivity(unchecked) @usableFromInline var isWaiting = false
    /// Called with the refusal of each event that has no caller: a posted one, or a timer's.
    public var didRefuse: ((Refusal<State, Event>) -> Void)? {
        get { rules?.didRefuse }
        set { if newValue != nil || rules != nil { neededRules.didRefuse = newValue } }
    }

    /// An event that waits for a state that takes it.
    @usableFromInline struct Waiting {
        @usableFromInline let event: Event
        @usableFromInline let context: EventContext?
        @usableFromInline init(event: Event, context: EventContext?) {
            (self.event, self.context) = (event, context)
        }
    }

    @usableFromInline init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on timerQueue: TimerQueue,
        _ queue: EventQueue, clock: (any TimerClock)? = nil, observer: (any MachineObserver)?,
        hooks: [any Hook] = [], unhandled: UnhandledEventPolicy = .throw
    ) {
        self.engine = engine
        if case .ignore = unhandled { rules = StateExtras(unhandled: unhandled) }
        super.init(flow, on: timerQueue, queue, clock: clock, observer: observer, hooks: hooks)
    }

    private var neededRules: StateExtras<State, Event> {
        if let rules { return rules }
        let made = StateExtras<State, Event>(unhandled: .throw)
        rules = made
        return made
    }

    // MARK: sending

    /// Sends an event, and returns the state that the machine is in afterwards. Every timer that is due fires before
    /// it. From inside a step the event is posted instead, and the present state returned.
    @inlinable @discardableResult public func send(_ event: Event)
        throws(Refusal<State, Event>) -> State
    {
        if queue.isBusy {
            post(event)
            return state
        }
        if readsClock { readClock() }
        queue.isBusy = true
        do throws(Reason) { try engine.take(self, event, nil) } catch {
            queue.finish()
            throw refusal(error, event)
        }
        queue.finish()
        return state
    }

    @usableFromInline func refusal(_ reason: Reason, _ event: Event) -> Refusal<State, Event> {
        Refusal(reason, state, event, last: lastEvent.map { ($0, lastAt) })
    }

    /// Sends an event once the present step is over; at once if there is none. A refusal goes to `didRefuse`.
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
        guard let event = engine.signal(tag) else { return }
        do throws(Reason) {
            try engine.take(self, event, EventContext(.signal(tag), .timer, missed: missed))
        } catch {
            if let didRefuse { didRefuse(refusal(error, event)) }
            throw error
        }
    }

    // MARK: looking

    /// The present state. A machine is entered before it is handed out, so there is one.
    @inlinable public var state: State { current! }

    /// Whether the present state takes or defers the event. Asks the selector; changes nothing.
    public func can(_ event: Event) -> Bool {
        do throws(Reason) {
            try engine.ask(self, event)
            return true
        } catch { return false }
    }

    /// Whether the state takes or defers the event, whatever its arguments' validators would say.
    @usableFromInline func accepts<F: Flow>(_ flow: F, _ event: Event) -> Bool
    where F.State == State, F.Event == Event {
        do throws(Reason) {
            _ = try select(flow, event)
            return true
        } catch { return error != .noTransition && error != .finished }
    }

    override func describePlace() -> StateRecord {
        current.map { engine.place(engine, $0) } ?? StateRecord("")
    }
    override var deferredEvents: [(event: EventRecord, source: Source)] {
        (rules?.waiting ?? []).map {
            (happening($0.event, $0.context), $0.context?.source ?? .program)
        }
    }
    public override var deferredCount: Int { rules?.waiting.count ?? 0 }

    // MARK: steps

    /// The name and arguments of an event: as it came, or else read off its case.
    @usableFromInline func happening(_ event: Event, _ context: EventContext?) -> EventRecord {
        context.flatMap(flow.happening) ?? engine.describe(event)
    }

    @inlinable func select<F: Flow>(_ flow: F, _ event: Event) throws(Reason) -> Transition<F>
    where F.State == State, F.Event == Event {
        guard let current, !isFinal(flow) else { throw .finished }
        return try flow.select(current, event)
    }

    @inlinable func isFinal<F: Flow>(_ flow: F) -> Bool where F.State == State {
        guard hasFinals, let current else { return false }
        return F.finals.contains(flow.scene(current).name)
    }

    /// Asks the selector and does what it names.
    @inlinable func take<F: Flow>(
        _ box: FlowBox<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason)
    where F.State == State, F.Event == Event {
        let transition: Transition<F>
        do throws(Reason) { transition = try select(box.flow, event) } catch {
            guard ignores(error, event, context) else { throw error }
            return
        }
        switch transition.kind {
        case .stay, .keep: try keep(box.flow, transition, event, context)
        case .wait: try wait(event, context)
        case .enter:
            try enter(box.flow, transition, .enter, event, context)
            if isWaiting { offerAgain(box.flow) }
        }
    }

    @usableFromInline func ignores(_ reason: Reason, _ event: Event, _ context: EventContext?)
        -> Bool
    {
        guard let rules, case .ignore = rules.unhandled else { return false }
        return rules.unhandled.swallows(
            reason, happening(event, context), in: place.state)
    }

    /// Enters a state by an order from outside, for `open` and `goto`: the effects are not asked.
    @inlinable func put<F: Flow>(
        _ flow: F, _ transition: Transition<F>, _ kind: Step.Kind, _ source: Source
    ) throws(Reason) where F.State == State, F.Event == Event {
        let silent = Transition<F>(kind: .enter, make: transition.make)
        try enter(flow, silent, kind, nil, EventContext(.order, source))
        if isWaiting { offerAgain(flow) }
    }

    /// The one way into a state. If it throws, nothing has changed.
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
            return try enterWatched(next.take()!, kind, event, context, transition.effects)
        }
        begin()
        lastEvent = event
        // The old state is released at the end of this scope, after every access.
        swap(&current, &next)
        if knownPlace != nil { knownPlace = nil }
        if hasPosts { sendPosts(from: context?.source) }
    }

    /// Enters a state whose way in was made, and tells of it; if a hook refuses it, nothing has changed.
    @inlinable func enterWatched(
        _ next: consuming State, _ kind: Step.Kind, _ event: Event?, _ context: EventContext?,
        _ effects: consuming [EffectRecord]
    ) throws(Reason) {
        let to = engine.place(engine, next)
        let step: Step
        do throws(Reason) {
            step = try announce(
                kind, event.map { happening($0, context) }, context?.source ?? .program,
                from: current == nil ? nil : place, to: to, effects)
        } catch {
            abandon()
            throw error
        }
        begin()
        lastEvent = event
        var next: State? = next
        swap(&current, &next)
        knownPlace = to
        if hasPosts { sendPosts(from: context?.source) }
        tell(step)
    }

    /// Stays in the state: data may change, timers run on.
    @inlinable func keep<F: Flow>(
        _ flow: F, _ transition: Transition<F>, _ event: Event, _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        var next: State?
        if transition.kind == .keep {
            next = try transition.make(Entry(machine: self))
            // A mistake of the selector: the timers would be another state's.
            let (from, to) = (flow.scene(current!).name, flow.scene(next!).name)
            guard from == to else {
                throw .invalid("state", "\(from.rawValue) is kept as \(to.rawValue)")
            }
        }
        if isWatched {
            return try keepWatched(
                next, event, context, transition.effects)
        }
        if next != nil {
            swap(&current, &next)
            knownPlace = nil
        }
    }

    @inlinable func keepWatched(
        _ next: State?, _ event: Event, _ context: EventContext?, _ effects: [EffectRecord]
    ) throws(Reason) {
        let (from, to) = (place, next.map { engine.place(engine, $0) } ?? place)
        let isBeat = effects.isEmpty && (next == nil || to == from)
        let step = Step(
            .keep, happening(event, context), from: context?.source ?? .program,
            from, to, effects: effects, isBeat: isBeat, missed: context?.missed ?? 0)
        if !isBeat { try askHooks(step) }
        if next != nil {
            var next = next
            swap(&current, &next)
            knownPlace = to
        }
        tell(step)
    }

    // MARK: deferred events

    @usableFromInline func wait(_ event: Event, _ context: EventContext?) throws(Reason) {
        guard deferredCount < Self.deferLimit else { throw .deferQueueFull }
        neededRules.waiting.append(Waiting(event: event, context: context))
        isWaiting = true
        tellAside(.defer, event, context)
    }

    /// Lets these events wait, oldest first.
    @usableFromInline func restore(waiting events: [Waiting]) {
        isWaiting = !events.isEmpty
        if isWaiting || rules != nil { neededRules.waiting = events }
    }

    /// Tells that an event was deferred or dropped.
    @usableFromInline func tellAside(
        _ kind: Step.Kind, _ event: Event, _ context: EventContext?, why: Reason? = nil
    ) {
        guard isWatched else { return }
        tell(
            Step(
                kind, happening(event, context), from: context?.source ?? .program,
                place, place, why: why))
    }

    /// After each entry, what waits is offered again from the oldest on; an entry on the way begins from the
    /// oldest again. What is refused now is dropped.
    @inlinable func offerAgain<F: Flow>(_ flow: F) where F.State == State, F.Event == Event {
        guard let rules else { return }
        var at = 0
        while at < rules.waiting.count {
            let next = rules.waiting.remove(at: at)
            do throws(Reason) {
                let transition = try select(flow, next.event)
                switch transition.kind {
                case .stay, .keep: try keep(flow, transition, next.event, next.context)
                case .enter:
                    try enter(flow, transition, .enter, next.event, next.context)
                    at = 0
                case .wait:
                    rules.waiting.insert(next, at: at)
                    at += 1
                }
            } catch { tellAside(.drop, next.event, next.context, why: error) }
        }
        isWaiting = !rules.waiting.isEmpty
    }
}

extension StateMachine {
    /// A machine of a flow, in the flow's initial state. It keeps its clock.
    ///
    /// A flow that cannot begin in its initial state is a mistake in its source.
    @inlinable public convenience init<F: Flow>(_ flow: F, on clock: any TimerClock)
    where F.State == State, F.Event == Event {
        self.init(AnyFlow(flow), Engine(flow), on: clock)
    }

    /// The same on a real clock of its own, whose timers fire on the caller's actor; where there is none, before the
    /// next event. See `TaskClock`.
    @inlinable public convenience init<F: Flow>(
        _ flow: F, isolation: isolated (any Actor)? = #isolation
    ) where F.State == State, F.Event == Event {
        self.init(flow, on: TaskClock(isolation: isolation))
    }

    /// A machine that shares its flow's functions with others: much less memory each.
    public convenience init(
        _ flow: AnyFlow, _ engine: Engine<State, Event>, on clock: any TimerClock
    ) {
        self.init(
            flow, engine, on: clock.timerQueue, EventQueue(), clock: clock, observer: nil)
        do throws(Reason) { try queue.run { () throws(Reason) in try engine.start(self) } } catch {
            preconditionFailure("\(flow.name) cannot begin: \(error.sentence)")
        }
    }

    /// The live timers of the present state, in the order in which they were set.
    public var timers: [StateTimer<Event>] {
        liveTimers.compactMap { timer in
            engine.signal(timer.info.tag).map { StateTimer(signal: $0, timer.info) }
        }
    }
}

/// A live timer of a state.
public struct StateTimer<Event> {
    public enum Kind: Sendable { case countdown, pendulum }

    /// The event that it sends.
    public let signal: Event
    public let kind: Kind
    /// What is left until it fires; of a paused one, what it had left.
    public let remaining: Duration
    /// A countdown's whole time with its extensions; a pendulum's period.
    public let total: Duration
    public let paused: Bool

    init(signal: Event, _ info: TimerInfo) {
        self.signal = signal
        kind = info.isPendulum ? .pendulum : .countdown
        (remaining, total, paused) = (info.remaining, info.total, info.isPaused)
    }
}
