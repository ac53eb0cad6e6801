internal import JSON
internal import Timers

/// The machine: it holds the one state of a session, asks the selector, and runs what that names.
final class Machine<F: Flow>: AnyMachine {
    private let rules: F
    private var state: F.State?
    /// The places of states without data: they are always the same.
    private let plainPlaces: PlainPlaces<F>
    private var waiting: [Waiting] = []
    private let hooks: [any Hook]
    private let unhandled: Unhandled

    private struct Waiting {
        let event: F.Event
        let happening: Happening
        let source: Source
    }

    init(
        _ rules: F, _ places: PlainPlaces<F>, _ flow: AnyFlow, on agenda: Agenda,
        _ queue: EventQueue, observer: any MachineObserver, hooks: [any Hook] = [],
        unhandled: Unhandled = .throw
    ) {
        self.rules = rules
        plainPlaces = places
        self.hooks = rules.hooks() + hooks
        self.unhandled = unhandled
        super.init(flow, on: agenda, queue, observer: observer)
    }

    // MARK: steps

    /// Asks the selector and does what it names.
    func take(_ event: F.Event, _ happening: Happening, _ source: Source, missed: Int = 0)
        throws(Refusal)
    {
        let transition: Transition<F>
        do throws(Refusal) { transition = try select(event) } catch {
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
        throws(Refusal)
    {
        let way = try rules.entering(name, data)
        let silent = Transition<F>(kind: .enter, effect: nil, make: way.make)
        try enter(silent, kind, nil, source)
        offerAgain()
    }

    private func select(_ event: F.Event) throws(Refusal) -> Transition<F> {
        guard let state, !isFinal else { throw .finished }
        return try rules.select(state, event)
    }

    private func enter(
        _ transition: Transition<F>, _ kind: Step.Kind, _ happening: Happening?, _ source: Source
    ) throws(Refusal) {
        guard let make = transition.make else { preconditionFailure("entering needs a state") }
        var next: F.State?
        let step: Step
        do throws(Refusal) {
            next = try make(Entry(machine: self))
            let to = plainPlaces.place(rules.scene(next!))
            let from = state == nil ? nil : place
            step = Step(kind, happening, from: source, from, to, effect: asked(transition.effect))
            if kind == .enter { try askHooks(step) }
        } catch {
            abandon()
            throw error
        }
        begin(source)
        swap(&state, &next)  // the old state dies at the end of this scope, after every access
        if let to = step.to { place = to }
        tell(step)
    }

    private func keep(
        _ transition: Transition<F>, _ happening: Happening, _ source: Source, missed: Int
    ) throws(Refusal) {
        var next: F.State?
        var to = place
        if let make = transition.make {
            next = try make(Entry(machine: self))
            to = plainPlaces.place(rules.scene(next!))
            precondition(to.state == place.state, "keep stays in \(place.state)")
        }
        let isBeat = transition.effect == nil && (next == nil || to == place)
        let step = Step(
            .keep, happening, from: source, place, to, effect: asked(transition.effect),
            isBeat: isBeat, missed: missed)
        if !isBeat { try askHooks(step) }
        if next != nil {
            swap(&state, &next)
            place = to
        }
        tell(step)
    }

    private func asked(_ effect: F.Effect?) -> RequestedEffect? {
        effect.map { RequestedEffect(name: $0.name, arguments: $0.arguments) }
    }

    private func askHooks(_ step: Step) throws(Refusal) {
        for hook in hooks {
            do { try hook.before(step, at: agenda.now) } catch {
                throw .hookRefused(hook.name, error.why)
            }
        }
    }

    private func tell(_ step: Step) {
        observer.did(step)
        guard !step.isBeat else { return }
        for hook in hooks { hook.after(step, at: agenda.now) }
        publish(step)
    }

    // MARK: deferral

    private func wait(_ event: F.Event, _ happening: Happening, _ source: Source) throws(Refusal) {
        guard waiting.count < Self.deferLimit else { throw .deferQueueFull }
        waiting.append(Waiting(event: event, happening: happening, source: source))
        tell(Step(.defer, happening, from: source, place, place))
    }

    /// After each entry, what waits is offered again from the oldest on; an entry on the way begins
    /// from the oldest again. What is refused now is dropped, and told as such.
    private func offerAgain() {
        var at = 0
        while at < waiting.count {
            let next = waiting.remove(at: at)
            do throws(Refusal) {
                switch try offer(next) {
                case .keep: break
                case .enter: at = 0
                case .wait:
                    waiting.insert(next, at: at)
                    at += 1
                }
            } catch {
                tell(Step(.drop, next.happening, from: next.source, place, place))
            }
        }
    }

    private func offer(_ next: Waiting) throws(Refusal) -> Transition<F>.Kind {
        let transition = try select(next.event)
        switch transition.kind {
        case .keep: try keep(transition, next.happening, next.source, missed: 0)
        case .enter: try enter(transition, .enter, next.happening, next.source)
        case .wait: break
        }
        return transition.kind
    }

    var waitingCount: Int { waiting.count }

    /// Whether the state takes or defers the event, whatever its arguments' validators would say.
    func takes(_ event: F.Event) -> Bool {
        do throws(Refusal) {
            _ = try select(event)
            return true
        } catch {
            return error != .noTransition && error != .finished
        }
    }
}
