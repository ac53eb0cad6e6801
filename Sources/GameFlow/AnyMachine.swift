public import Timers

/// A machine as the rooms above know it: names, values and timers; no types of its flow.
///
/// It owns the timers of its present entry, and is what they tell when they are due.
///
/// Its stored properties are not checked for overlapping accesses at run time, which would take a third of an event's
/// time. What makes that safe: a machine belongs to one thread, and no access to a property is held over foreign code.
/// In particular the old state is swapped out and released after the access, for its release may run a `deinit`.
public class AnyMachine: TimerOwner {
    public final let flow: AnyFlow
    @usableFromInline final let timerQueue: TimerQueue
    @usableFromInline final let queue: EventQueue
    /// Is told of every step, by name and data. It outlives the machine (`MachineObserver`); counting that for each
    /// step would cost as much as a timer does.
    public unowned(unsafe) final let observer: (any MachineObserver)?
    /// What most machines have not; nil costs a comparison.
    @exclusivity(unchecked) final var extras: MachineExtras?
    /// Whether anything reads the names and data of a step: if not, they are not produced.
    @exclusivity(unchecked) @usableFromInline final var isWatched: Bool
    /// Whether a clock is to be read before each event; if not, the machine's owner does, or nobody has to.
    @usableFromInline final let readsClock: Bool
    @usableFromInline final let hasFinals: Bool
    /// Whether the entry being made posted something.
    @exclusivity(unchecked) @usableFromInline final var hasPosts = false
    /// Whether what each timer does after a restart is noted: only while a machine is restored.
    @exclusivity(unchecked) @usableFromInline final var notesPolicies = false
    /// The timers of the present entry.
    @exclusivity(unchecked) @usableFromInline final var entry = TimerGroup()
    /// The timers of the entry that is being made: only one is at a time, of all machines that share the queue.
    @usableFromInline final var making: TimerGroup {
        @inlinable get { queue.making }
        @inlinable _modify { yield &queue.making }
    }
    /// When the present state was entered.
    @exclusivity(unchecked) @usableFromInline final var lastAt = Instant.zero
    /// The present state's name and data, if they are known.
    @exclusivity(unchecked) @usableFromInline final var knownPlace: StateRecord?

    /// How many deferred events a machine keeps.
    public static let deferLimit = 16

    init(
        _ flow: AnyFlow, on timerQueue: TimerQueue, _ queue: EventQueue,
        clock: (any TimerClock)? = nil, observer: (any MachineObserver)?, hooks: [any Hook]
    ) {
        (self.flow, self.timerQueue, self.queue, self.observer) = (
            flow, timerQueue, queue, observer
        )
        isWatched = observer != nil || !hooks.isEmpty
        readsClock = clock?.isReal ?? false
        hasFinals = !flow.finals.isEmpty
        super.init()
        if clock != nil || !hooks.isEmpty { extras = MachineExtras(clock: clock, hooks: hooks) }
    }

    deinit { end() }

    /// The extras, made now where there were none.
    final var neededExtras: MachineExtras {
        if let extras { return extras }
        let made = MachineExtras(clock: nil, hooks: [])
        extras = made
        return made
    }

    /// Fires every timer that is due by now on the real clock.
    @usableFromInline final func readClock() { extras?.clock?.settle() }

    /// The present state's name and data.
    public final var place: StateRecord {
        if let knownPlace { return knownPlace }
        let place = describePlace()
        knownPlace = place
        return place
    }

    /// The present state's name and data, produced from the state.
    func describePlace() -> StateRecord { StateRecord("") }
    /// What is deferred, oldest first.
    var deferredEvents: [(event: EventRecord, source: Source)] { [] }
    /// How many events wait for another state.
    public var deferredCount: Int { 0 }
    /// Takes a timer's signal.
    func fire(_ tag: UInt8, missed: Int) throws(Reason) {}

    // MARK: what happens to it

    /// Enters its first state, the flow's initial one if `state` is nil.
    public func open(_ state: String?, _ data: [Member], from source: Source) throws(Reason) {
        try run { () throws(Reason) in
            try flow.put(self, state ?? flow.initial, data, .open, source)
        }
    }

    /// Takes an event, or throws why not. During a step the event is posted.
    public final func send(_ event: EventIndex, _ arguments: [Member], from source: Source)
        throws(Reason)
    {
        if queue.isBusy { return post(flow.events[event.index].name, arguments, from: source) }
        try run { () throws(Reason) in
            try flow.send(self, event.index, arguments, source)
        }
    }

    /// Enters any state from any, without asking the selector.
    public func goto(_ state: String, _ data: [Member], from source: Source) throws(Reason) {
        try run { () throws(Reason) in try flow.put(self, state, data, .goto, source) }
    }

    /// Runs a step; during another one, as part of it.
    private final func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        if queue.isBusy { return try step() }
        try queue.run(step)
    }

    /// A timer of the present entry is due.
    public override func due(_ tag: UInt8, missed: Int) {
        if let observer { return observer.due(tag, missed: missed, of: self) }
        // A typed machine has reported the refusal by then.
        try? take(due: tag, missed: missed)
    }

    /// Takes the signal of a timer that is due, or throws why not.
    public final func take(due tag: UInt8, missed: Int) throws(Reason) {
        try run { () throws(Reason) in try fire(tag, missed: missed) }
    }

    /// Sends an event once the present step is over. A refusal goes to the observer.
    public func post(_ event: String, _ arguments: [Member], from source: Source) {
        let isTaken = queue.post { [weak self] in
            self?.sendPosted(event, arguments, from: source)
        }
        if !isTaken { observer?.refused(EventRecord(event, arguments), source, .tooManyPosts) }
    }

    private func sendPosted(_ event: String, _ arguments: [Member], from source: Source) {
        do throws(Reason) {
            try flow.send(self, flow.event(event).index, arguments, source)
        } catch {
            observer?.refused(EventRecord(event, arguments), source, error)
        }
    }

    /// The step that is about to be made, as hooks and observers see it; throws if a hook refuses it.
    @usableFromInline final func announce(
        _ kind: Step.Kind, _ event: consuming EventRecord?, _ source: consuming Source,
        from: consuming StateRecord?, to: consuming StateRecord, _ effects: consuming [EffectRecord]
    ) throws(Reason) -> Step {
        let step = Step(kind, event, from: source, from, to, effects: effects)
        if kind == .enter { try askHooks(step) }
        return step
    }

    /// Asks the hooks about a step; throws if one refuses it.
    @usableFromInline final func askHooks(_ step: Step) throws(Reason) {
        guard let extras else { return }
        for hook in extras.hooks {
            do { try hook.before(step, at: timerQueue.now) } catch {
                throw .hookRefused(hook.name, error.why)
            }
        }
    }

    /// Gives a step to the observer, the hooks and the observations. Where there is only an observer, which is the
    /// common case, the step is not copied.
    @usableFromInline final func tell(_ step: consuming Step) {
        guard let extras, !step.isBeat, extras.isFollowed else {
            observer?.did(step)
            return
        }
        // An observation that begins while the others are told has the present already.
        let observations = extras.observations
        observer?.did(copy step)
        for hook in extras.hooks { hook.after(step, at: timerQueue.now) }
        publish(step, to: observations)
    }

    // MARK: the published state

    /// Tells of the present state's name and data, now and after each change of either or each entry,
    /// for as long as the observation is held on to. What is sent meanwhile is posted.
    public func observe(_ tell: @escaping (StateRecord) -> Void) -> ObservationToken {
        let observation = ObservationToken(self, tell)
        change { $0.add(observation) }
        queue.during { tell(place) }
        return observation
    }

    func forget(_ observation: ObservationToken) { change { $0.remove(observation) } }

    private func change(_ change: (inout ObservationList) -> Void) {
        let extras = neededExtras
        change(&extras.observations)
        isWatched = observer != nil || extras.isFollowed
    }

    private func publish(_ step: borrowing Step, to observations: ObservationList) {
        guard let to = step.to else { return }
        switch step.kind {
        case .open, .enter, .goto, .keep: observations.tell(to)
        case .defer, .drop, .timer, .close: break
        }
    }

    // MARK: entries

    /// The entry being made becomes the present one. The old one's timers are over, whoever still
    /// holds their names.
    @inlinable final func begin() {
        lastAt = timerQueue.replace(&entry, with: &making)
    }

    /// What the entry posted has its turn after this step.
    @usableFromInline final func sendPosts(from source: Source?) {
        for post in neededExtras.takePosts() {
            self.post(post.event, post.arguments, from: source ?? .program)
        }
        hasPosts = false
    }

    /// Sends an event once the entry being made is the present one.
    @usableFromInline final func addPost(_ event: String, _ arguments: [Member]) {
        neededExtras.posts.append(.init(event: event, arguments: arguments))
        hasPosts = true
    }

    /// Notes what a timer of the entry being made does after a restart.
    @usableFromInline final func note(_ policy: AfterRestart, of tag: UInt8) {
        // Most timers do what is done without a note.
        if case .deadline = policy, extras == nil { return }
        neededExtras.policies[tag] = policy
    }

    /// Ends the present entry's timers, for good: the machine is not used again.
    public func end() { timerQueue.end(entry) }

    /// The entry being made comes to nothing.
    @usableFromInline final func abandon() {
        timerQueue.end(making)
        making = TimerGroup()
        if hasPosts { dropPosts() }
    }

    /// The entry being made is one that was written down: nothing of it is news.
    @usableFromInline final func resume() {
        timerQueue.replace(&entry, with: &making)
        if hasPosts { dropPosts() }
    }

    private func dropPosts() {
        _ = neededExtras.takePosts()
        hasPosts = false
    }

    // MARK: looking

    /// The timers of the present state that are still to fire, in the order in which they were set.
    public final var liveTimers: [LiveTimer] {
        timerQueue.timers(of: entry).compactMap { id in
            timerQueue.info(id).map {
                LiveTimer(id: id, fires: flow.signalName($0.tag), info: $0)
            }
        }
    }

    /// A timer by the signal it sends; nil if the state has none such now.
    public func timer(_ fires: String) -> LiveTimer? { liveTimers.first { $0.fires == fires } }

    public var isFinal: Bool { !flow.finals.isEmpty && flow.finals.contains(place.state) }
    /// The events that the state takes or defers with some arguments, in the flow's order.
    public var accepts: [String] { flow.accepts(self) }
}

/// A timer of a machine's present state, with what is known of it.
public struct LiveTimer {
    public let id: TimerID
    /// The signal that it sends.
    public let fires: String
    public let info: TimerInfo
}
