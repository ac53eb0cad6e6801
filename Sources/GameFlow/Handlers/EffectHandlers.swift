internal import Support

/// The asynchronous handlers of a machine's effects, and their running tasks. The machine owns this object.
final class EffectHandlers<State, Event> {
    typealias Machine = StateMachine<State, Event>
    /// Starts the task of a handler. At the end of the task, `ticket`, which identifies the task, must be passed to `finish` of
    /// `handlers`.
    typealias Start = (_ handlers: EffectHandlers, _ ticket: Int, _ effect: Requested) -> Task<
        Void, Never
    >

    /// An effect that a transition has requested.
    struct Requested {
        let record: EffectRecord
        /// The effect with its type; nil if no handler needs it.
        let value: Any?
    }

    /// The effects that a handler carries out.
    enum Scope: Equatable {
        /// One effect with one set of arguments.
        case effect(EffectRecord)
        /// All effects of a name.
        case name(String)
        /// All effects.
        case all
    }

    /// A task that was started and not yet passed to `finish`.
    private struct Running {
        /// The number that identifies the task in `finish`.
        let ticket: Int
        let task: Task<Void, Never>
        /// Whether the entry that requested the effect is still the present entry.
        var isCurrent = true
    }

    private unowned let machine: Machine
    /// The handlers that were set, with the effects that each carries out.
    private var handlers: [(scope: Scope, start: Start)] = []
    private var running: [Running] = []
    /// The ticket of the task that was started last.
    private var lastTicket = 0
    /// Calls `finish` with the result of each finished task that ran on no actor. Nil if every handler runs on an actor.
    var postResults: ((EffectHandlers) -> Void)?

    init(_ machine: Machine) { self.machine = machine }

    /// Sets the handler of the effects in `scope`. The handler replaces an earlier handler with this scope.
    func set(_ scope: Scope, _ start: @escaping Start) {
        handlers.removeAll { $0.scope == scope }
        handlers.append((scope, start))
    }

    /// Starts the handler that was set for the effect with these arguments. If there is no such handler, starts the handler of
    /// all effects with this name, or else the handler of all effects. If there is no handler at all, does nothing.
    func start(_ effect: Requested) {
        let scopes = [Scope.effect(effect.record), .name(effect.record.name), .all]
        let handler = scopes.lazy.compactMap { scope in
            self.handlers.first { $0.scope == scope }
        }.first
        guard let handler else { return }
        lastTicket += 1
        let task = handler.start(self, lastTicket, effect)
        running.append(Running(ticket: lastTicket, task: task))
    }

    /// Cancels the tasks of the present entry, because the entry ends. Results that the tasks return nevertheless are dropped.
    func cancelCurrent() {
        for index in running.indices where running[index].isCurrent {
            running[index].isCurrent = false
            running[index].task.cancel()
        }
    }

    /// Called at the end of a task. `event` is the task's result; nil if it has none. Posts the result if the entry that
    /// requested the effect is still the present entry. Otherwise reports the result as late.
    func finish(_ ticket: Int, _ event: Event?) {
        guard let index = running.firstIndex(where: { $0.ticket == ticket }) else { return }
        let isCurrent = running.remove(at: index).isCurrent
        guard let event else { return }
        if isCurrent { machine.post(event) } else { machine.reportLate(event) }
    }

    /// A task that was started and not yet passed to `finish`; nil if there is none.
    var unfinishedTask: Task<Void, Never>? { running.first?.task }
}

/// The results of tasks that run on no actor, until the machine takes them on its own thread.
private final class ResultInbox<Event: Sendable>: Sendable {
    private let results = Guarded<[(ticket: Int, event: Event?)]>([])

    func add(_ ticket: Int, _ event: Event?) { results.withLock { $0.append((ticket, event)) } }

    func takeAll() -> [(ticket: Int, event: Event?)] {
        results.withLock { results in
            defer { results = [] }
            return results
        }
    }
}

extension StateMachine where Event: FlowEvent & Sendable {
    /// Carries out an effect. When a transition requests the effect, `work` is called in a task. If `work` returns an event,
    /// the event is posted. Leaving the state, also to enter it again, cancels the task. A result that arrives after the entry
    /// is over is dropped, and reported to `didRefuse` as `stale`. No result is delivered to a later entry.
    ///
    /// `work` runs outside the machine's isolation. Its result is posted on the actor on which `handle` was called. Without an
    /// actor, the result is posted when the machine is used next, or by `finishHandlers`.
    public func handle(
        _ effect: Event.Effect, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async -> Event?
    ) {
        handle(.effect(EffectRecord(effect)), isolation, { _ in () }, { _ in await work() })
    }

    /// Carries out all effects, with their types: one `switch` over the effects of the flow.
    ///
    ///     machine.handle { effect in
    ///         switch effect {
    ///         case .upload(let documents, let attempt): await upload(documents, attempt)
    ///         case .showHome: nil
    ///         }
    ///     }
    ///
    /// A handler of one effect, or of one name, takes precedence. In every other respect this is the same as
    /// `handle(_:isolation:_:)`.
    public func handle(
        isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable (_ effect: Event.Effect) async -> Event?
    ) where Event.Effect: Sendable {
        existingOrNewTypedFeatures.handlesTypedEffects = true
        let handled = { @Sendable (effect: Event.Effect?) async -> Event? in
            guard let effect else { return nil }
            return await work(effect)
        }
        handle(.all, isolation, { $0.value as? Event.Effect }, handled)
    }

    /// Carries out all effects of the given name, whatever their arguments, for example the effects of an enum case with
    /// associated values. `work` gets the arguments. A handler of one effect with its arguments takes precedence. In every
    /// other respect this is the same as `handle(_:isolation:_:)`.
    public func handle(
        named name: String, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable (_ arguments: [Member]) async -> Event?
    ) {
        handle(.name(name), isolation, \.record.arguments, work)
    }

    /// Sets a handler, which gets what `read` returns for an effect.
    private func handle<Input: Sendable>(
        _ scope: EffectHandlers<State, Event>.Scope, _ isolation: isolated (any Actor)?,
        _ read: @escaping (EffectHandlers<State, Event>.Requested) -> Input,
        _ work: @escaping @Sendable (Input) async -> Event?
    ) {
        let handlers = createdHandlers
        guard isolation == nil else {
            return handlers.set(scope) { handlers, ticket, effect in
                let input = read(effect)
                return Task { [weak handlers] in
                    _ = isolation  // The task runs on this actor, because its closure uses it.
                    let event = await work(input)
                    handlers?.finish(ticket, event)
                }
            }
        }
        let inbox = ResultInbox<Event>()
        // Each handler without an actor has an inbox; the closure first empties the inboxes of earlier handlers.
        let postEarlierResults = handlers.postResults
        handlers.postResults = { handlers in
            postEarlierResults?(handlers)
            for (ticket, event) in inbox.takeAll() { handlers.finish(ticket, event) }
        }
        // From now on the machine calls `prepareForEvent` before each event, and that method posts the results.
        preparesForEvents = true
        handlers.set(scope) { _, ticket, effect in
            let input = read(effect)
            return Task.detached { inbox.add(ticket, await work(input)) }
        }
    }

    /// Waits until every handler that was started has returned, and posts the results. For tests and for an
    /// orderly end.
    public func finishHandlers(isolation: isolated (any Actor)? = #isolation) async {
        postResults()
        while let task = typedFeatures?.handlers?.unfinishedTask {
            await task.value
            postResults()
        }
    }

    /// The machine's handlers. Creates the object at the first use.
    private var createdHandlers: EffectHandlers<State, Event> {
        let features = existingOrNewTypedFeatures
        if let handlers = features.handlers { return handlers }
        let newHandlers = EffectHandlers<State, Event>(self)
        features.handlers = newHandlers
        // A machine with handlers passes each step on, as a machine with observers does.
        updateHasObservers()
        return newHandlers
    }
}
