internal import JSON
internal import Timers

/// The machine: it holds the one state of a session, asks the selector, and runs what that names.
final class Machine<F: Flow>: AnyMachine {
    let rules: F
    var state: F.State?
    /// The places of states without data: they are always the same.
    let plainPlaces: PlainPlaces<F>
    /// What is deferred, oldest first; see `Machine+Deferral`.
    var waiting: [Waiting] = []
    private let hooks: [any Hook]
    private let unhandled: Unhandled

    init(
        _ rules: F, _ places: PlainPlaces<F>, _ flow: AnyFlow, on timerQueue: TimerQueue,
        _ queue: EventQueue, observer: any MachineObserver, hooks: [any Hook] = [],
        unhandled: Unhandled = .throw, isRehearsal: Bool = false
    ) {
        self.rules = rules
        plainPlaces = places
        self.hooks = (isRehearsal ? [] : rules.hooks()) + hooks
        self.unhandled = unhandled
        super.init(flow, on: timerQueue, queue, observer: observer)
    }

    // MARK: steps

    /// Asks the selector and does what it names.
    func take(_ event: F.Event, _ happening: Happening, _ source: Source, missed: Int = 0)
        throws(Reason)
    {
        let transition: Transition<F>
        do throws(Reason) { transition = try select(event) } catch {
            guard unhandled.swallows(error, happening, in: place.state) else { throw error }
            return
        }
        switch transition.kind {
        case .keep: try keep(transition, happening, source, missed: missed)
        case .wait: try wait(event, happening, source)
        case .enter:
            try enter(transition, .enter, happening, source)
            offerAgain()
        }
    }

    /// Enters a state by name, for `open` and `goto`; its effect is not asked.
    func put(_ name: F.StateName, _ data: Arguments, _ kind: Step.Kind, _ source: Source)
        throws(Reason)
    {
        let way = try rules.entering(name, data)
        let silent = Transition<F>(kind: .enter, effect: nil, make: way.make)
        try enter(silent, kind, nil, source)
        offerAgain()
    }

    func select(_ event: F.Event) throws(Reason) -> Transition<F> {
        guard let state, !isFinal else { throw .finished }
        return try rules.select(state, event)
    }

    func enter(
        _ transition: Transition<F>, _ kind: Step.Kind, _ happening: Happening?, _ source: Source
    ) throws(Reason) {
        guard let make = transition.make else { preconditionFailure("entering needs a state") }
        var next: F.State?
        let step: Step
        do throws(Reason) {
            next = try make(Entry(machine: self))
            let to = plainPlaces.place(rules.scene(next!))
            let from = state == nil ? nil : place
            step = Step(kind, happening, from: source, from, to, effect: asked(transition.effect))
            if kind == .enter, !hooks.isEmpty { try askHooks(step) }
        } catch {
            abandon()
            throw error
        }
        begin(source)
        swap(&state, &next)  // the old state dies at the end of this scope, after every access
        if let to = step.to { place = to }
        tell(consume step)
    }

    func keep(
        _ transition: Transition<F>, _ happening: Happening, _ source: Source, missed: Int
    ) throws(Reason) {
        var next: F.State?
        var to = place
        if let make = transition.make {
            next = try make(Entry(machine: self))
            to = plainPlaces.place(rules.scene(next!))
            // A mistake of the selector's: refused, for its timers would be another state's.
            guard to.state == place.state else {
                throw .invalid("state", "\(place.state) is kept as \(to.state)")
            }
        }
        let isBeat = transition.effect == nil && (next == nil || to == place)
        let step = Step(
            .keep, happening, from: source, place, to, effect: asked(transition.effect),
            isBeat: isBeat, missed: missed)
        if !isBeat, !hooks.isEmpty { try askHooks(step) }
        if next != nil {
            swap(&state, &next)
            place = to
        }
        tell(consume step)
    }

    private func asked(_ effect: F.Effect?) -> RequestedEffect? {
        effect.map { RequestedEffect(name: $0.name, arguments: $0.arguments) }
    }

    private func askHooks(_ step: Step) throws(Reason) {
        for hook in hooks {
            do { try hook.before(step, at: timerQueue.now) } catch {
                throw .hookRefused(hook.name, error.why)
            }
        }
    }

    /// Mostly only the observer is told, and gets the step itself rather than a copy.
    func tell(_ step: consuming Step) {
        guard !step.isBeat, !hooks.isEmpty || isObserved else { return observer.did(step) }
        // Who comes while the others are told has the present already.
        let observations = observations
        observer.did(copy step)
        for hook in hooks { hook.after(step, at: timerQueue.now) }
        publish(step, to: observations)
    }
}
