internal import Timers

/// The engine of a machine without a flow type. One closure decides, for the present state and an event, which state is
/// entered. The machine's timers are declared with `timers`. Every event that is not refused enters a state, perhaps the
/// same state again.
extension Engine {
    /// Creates the engine. `decide` returns the state that an event leads to, or throws the reason for the event's refusal.
    /// `decide` must not have side effects, because `check` also calls it.
    convenience init(
        _ initial: State, _ decide: @escaping (State, Event) throws(Reason) -> State
    ) {
        self.init(
            start: { machine throws(Reason) in try machine.enterPlain(initial, .open) },
            take: { machine, event, context throws(Reason) in
                let next: State
                do throws(Reason) { next = try decide(machine.current!, event) } catch {
                    guard machine.ignores(error, event, context) else { throw error }
                    return
                }
                try machine.enterPlain(next, .enter, event, context)
            },
            enterState: { machine, state throws(Reason) in
                try machine.enterPlain(state, .goto)
            },
            check: { machine, event throws(Reason) in
                let next = try decide(machine.current!, event)
                try machine.typedFeatures?.validate(machine.current!, event, next)
            },
            signalEvent: { machine, tag in machine.declaredEvent(tag) })
    }
}

extension StateMachine {
    /// Creates a machine without a flow, in the initial state of its engine.
    convenience init(
        _ engine: Engine<State, Event>, on clock: any TimerClock,
        hooks: [Hook<State, Event>] = [], validators: [Validator<State, Event>] = [],
        unhandled: UnhandledEventPolicy = .throw
    ) {
        self.init(
            AnyFlow.placeholder, engine, on: clock, hooks: hooks, validators: validators,
            unhandled: unhandled)
    }

    /// Enters a state that is a plain value, and sets the timers that `timers(_:)` declares for this state. `event` is nil for
    /// the commands `open` and `goto`. `context` has the event's sender; it is nil if the program is the sender. `entryEvents` are
    /// the events of timers that were set already, by the timers' tags.
    func enterPlain(
        _ next: State, _ kind: Step.Kind, _ event: Event? = nil, _ context: EventContext? = nil,
        timerEvents entryEvents: [Event] = []
    ) throws(Reason) {
        let timerEvents = setTimers(of: next, after: entryEvents)
        if (hasObservers && !onlyPublishes) || timerEvents != nil {
            let noEffects: [EffectRecord] = []
            return try enterAndReport(
                next, kind, event, context, noEffects, timerEvents: timerEvents,
                entryTimerCount: entryEvents.count)
        }
        beginEntry()
        lastEvent = event
        // The old state is released at the end of this scope, after every access to the property.
        var next: State? = next
        swap(&current, &next)
        cachedRecord = nil
        if hasObservers { typedFeatures?.publisher?.publish(next, current!) }
    }

    /// Sets the declared timers of a state. Call it before `beginEntry`, which makes them the timers of the new entry. Returns
    /// the events that the timers send, by the timers' tags; nil if `timers(_:)` was never called and no timer was set before.
    /// `earlier` are the events of the timers that were set before.
    private func setTimers(of state: State, after earlier: [Event] = []) -> [Event]? {
        guard let declared = typedFeatures?.timers else {
            if earlier.isEmpty { return nil }
            _ = existingOrNewTypedFeatures
            return earlier
        }
        // A tag is one byte, so there are 256 tags.
        let timers = declared(state).prefix(Int(UInt8.max) + 1 - earlier.count)
        for (tag, timer) in timers.enumerated() {
            timer.set(UInt8(earlier.count + tag), for: self)
        }
        return earlier + timers.map(\.event)
    }

    /// The event that a timer of the present state sends; nil if the state has no such timer.
    func declaredEvent(_ tag: UInt8) -> Event? {
        guard let events = typedFeatures?.timerEvents, Int(tag) < events.count else { return nil }
        return events[Int(tag)]
    }

    /// Declares the timers of each state, for a machine without a flow; a flow declares its timers itself. `declared` returns
    /// the timers of a state.
    ///
    /// The timers of a state are set when the state is entered, and end when it is left. Those of the present state are set by
    /// this call, during a step after that step; they replace those that an earlier call has set. Timers that a `PlainEntry` has set
    /// go on. A state has at most 256 timers; further ones are ignored. A machine with a flow ignores the call.
    public func timers(_ declared: @escaping (State) -> [TimerDeclaration<Event>]) {
        guard flow.isPlaceholder else { return }
        timerQueue.adoptContext()
        existingOrNewTypedFeatures.timers = declared
        guard queue.isBusy else { return queue.runAsStep { replaceDeclaredTimers() } }
        _ = queue.post { [weak self] in self?.replaceDeclaredTimers() }
    }

    /// Ends the declared timers of the present state, and sets those that are declared now.
    private func replaceDeclaredTimers() {
        guard let features = typedFeatures, let current else { return }
        let isDeclared = { (tag: UInt8) in Int(tag) >= features.entryTimerCount }
        var replaced: [TimerID] = []
        timerQueue.forEachTimer(of: entryTimers) { id, tag, _ in
            if isDeclared(tag) { replaced.append(id) }
        }
        for id in replaced { timerQueue.drop(id) }
        // The new timers belong to the present entry.
        swap(&entryTimers, &newEntryTimers)
        let events = Array(features.timerEvents.prefix(features.entryTimerCount))
        features.timerEvents = setTimers(of: current, after: events) ?? []
        swap(&entryTimers, &newEntryTimers)
    }
}
