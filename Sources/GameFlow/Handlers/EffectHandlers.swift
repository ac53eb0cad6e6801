internal import Synchronization

/// The asynchronous handlers of a machine's effects, and their running tasks. It belongs to its machine.
final class EffectHandlers<State, Event> {
    typealias Machine = StateMachine<State, Event>
    typealias Start = (_ handlers: EffectHandlers, _ ticket: Int) -> Task<Void, Never>

    private struct Running {
        let ticket: Int
        let task: Task<Void, Never>
        /// Whether the entry that asked for it is still the present one.
        var isCurrent = true
    }

    private unowned let machine: Machine
    private var handlers: [(effect: EffectRecord, start: Start)] = []
    private var running: [Running] = []
    private var lastTicket = 0
    /// Takes the results of tasks that run on no actor; nil if there are no such handlers.
    var takeResults: ((EffectHandlers) -> Void)?

    init(_ machine: Machine) { self.machine = machine }

    /// Sets the handler of an effect; a later one replaces an earlier one.
    func set(_ effect: EffectRecord, _ start: @escaping Start) {
        handlers.removeAll { $0.effect == effect }
        handlers.append((effect, start))
    }

    func start(_ effect: EffectRecord) {
        guard let handler = handlers.first(where: { $0.effect == effect }) else { return }
        lastTicket += 1
        running.append(Running(ticket: lastTicket, task: handler.start(self, lastTicket)))
    }

    /// The entry is over: cancels its tasks. Results that they return nevertheless are dropped.
    func leave() {
        for index in running.indices where running[index].isCurrent {
            running[index].isCurrent = false
            running[index].task.cancel()
        }
    }

    /// Posts the result of a task, if the entry that asked for it is still the present one.
    func finish(_ ticket: Int, _ event: Event?) {
        guard let index = running.firstIndex(where: { $0.ticket == ticket }) else { return }
        let isCurrent = running.remove(at: index).isCurrent
        guard let event else { return }
        if isCurrent { machine.post(event) } else { machine.reportLate(event) }
    }

    /// A task that has not finished; nil if there is none.
    var unfinished: Task<Void, Never>? { running.first?.task }
}

/// The results of tasks that run on no actor, until the machine takes them on its own thread.
private final class ResultInbox<Event: Sendable>: Sendable {
    private let results = Mutex<[(ticket: Int, event: Event?)]>([])

    func put(_ ticket: Int, _ event: Event?) { results.withLock { $0.append((ticket, event)) } }

    func takeAll() -> [(ticket: Int, event: Event?)] {
        results.withLock { results in
            defer { results = [] }
            return results
        }
    }
}

extension StateMachine where Event: FlowEvent & Sendable {
    /// Carries out an effect: `work` is called when a transition requests the effect, and its result is posted
    /// as an event, if it returns one. Leaving the state (also to enter it again) cancels the task. A result
    /// that arrives after its entry is over is dropped and reported to `didRefuse` as `stale`; it is never
    /// delivered to a later entry.
    ///
    /// `work` runs outside the machine's isolation. Its result is posted on the actor on which `handle` was
    /// called. Without an actor it is posted when the machine is used next, or by `finishHandlers`.
    public func handle(
        _ effect: Event.Effect, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable () async -> Event?
    ) {
        let handlers = neededHandlers
        guard isolation == nil else {
            return handlers.set(EffectRecord(effect)) { handlers, ticket in
                Task { [weak handlers] in
                    _ = isolation  // captured: the task runs on this actor
                    let event = await work()
                    handlers?.finish(ticket, event)
                }
            }
        }
        let inbox = ResultInbox<Event>()
        let others = handlers.takeResults
        handlers.takeResults = { handlers in
            others?(handlers)
            for (ticket, event) in inbox.takeAll() { handlers.finish(ticket, event) }
        }
        readsClock = true
        handlers.set(EffectRecord(effect)) { _, ticket in
            Task.detached { inbox.put(ticket, await work()) }
        }
    }

    /// Waits until every handler that was started has returned, and posts the results. For tests and for an
    /// orderly end.
    public func finishHandlers(isolation: isolated (any Actor)? = #isolation) async {
        takeResults()
        while let task = stateExtras?.handlers?.unfinished {
            await task.value
            takeResults()
        }
    }

    private var neededHandlers: EffectHandlers<State, Event> {
        let extras = neededStateExtras
        if let handlers = extras.handlers { return handlers }
        let made = EffectHandlers<State, Event>(self)
        extras.handlers = made
        reviewWatched()
        return made
    }
}
