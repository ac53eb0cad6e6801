public import JSON
public import Timers

/// A machine as the rooms above know it: names, values and timers; no types of its flow.
///
/// It owns the timers of its present entry, and is what they tell when they are due.
public class AnyMachine: TimerOwner {
    public let flow: AnyFlow
    @usableFromInline let timerQueue: TimerQueue
    @usableFromInline let queue: EventQueue
    /// The clock, where the machine has to keep it and to read it before each event; nil where its owner does.
    @usableFromInline let clock: (any TimerClock)?
    /// Is told of every step, by name and data. It outlives the machine (`MachineObserver`); counting that for each
    /// step would cost as much as a timer does.
    public unowned(unsafe) let observer: (any MachineObserver)?
    /// In the order in which they are asked; the flow's own come first.
    let hooks: [any Hook]
    /// Whether anything reads the names and data of a step: if not, they are not produced.
    @exclusivity(unchecked) @usableFromInline var isWatched: Bool
    @usableFromInline let hasFinals: Bool
    /// The timers of the present entry.
    @exclusivity(unchecked) private var entry = TimerGroup()
    /// What the entry being made has asked for so far.
    @exclusivity(unchecked) @usableFromInline var making = Making()
    /// When the present state was entered.
    @exclusivity(unchecked) @usableFromInline final var lastAt = Instant.zero
    /// The present state's name and data, if they are known.
    @exclusivity(unchecked) @usableFromInline final var knownPlace: Place?
    private(set) var observations = ObservationList() {
        didSet { isWatched = observer != nil || !hooks.isEmpty || !observations.isEmpty }
    }

    /// How many deferred events a machine keeps.
    public static let deferLimit = 16

    @usableFromInline struct Post {
        @usableFromInline let event: String
        @usableFromInline let arguments: [Member]
    }

    @usableFromInline struct Making {
        @usableFromInline var timers = TimerGroup()
        @usableFromInline var posts: [Post] = []
        /// What each timer is to do after a restart, by its tag; noted only while a machine is restored.
        @usableFromInline var policies: [UInt8: AfterRestart]?
    }

    init(
        _ flow: AnyFlow, on timerQueue: TimerQueue, _ queue: EventQueue,
        clock: (any TimerClock)? = nil, observer: (any MachineObserver)?, hooks: [any Hook]
    ) {
        (self.flow, self.timerQueue, self.queue) = (flow, timerQueue, queue)
        (self.clock, self.observer, self.hooks) = (clock, observer, hooks)
        isWatched = observer != nil || !hooks.isEmpty
        hasFinals = !flow.finals.isEmpty
    }

    deinit { end() }

    /// The present state's name and data.
    public final var place: Place {
        if let knownPlace { return knownPlace }
        let place = describePlace()
        knownPlace = place
        return place
    }

    /// The present state's name and data, produced from the state.
    func describePlace() -> Place { Place("") }
    /// What is deferred, oldest first.
    var deferredContexts: [EventContext] { [] }
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
    public func send(_ event: EventIndex, _ arguments: [Member], from source: Source)
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
    private func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        if queue.isBusy { return try step() }
        try queue.run(step)
    }

    /// A timer of the present entry is due.
    public func due(_ tag: UInt8, missed: Int) {
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
        if !isTaken { observer?.refused(Happening(event, arguments), source, .tooManyPosts) }
    }

    private func sendPosted(_ event: String, _ arguments: [Member], from source: Source) {
        do throws(Reason) {
            try flow.send(self, flow.event(event).index, arguments, source)
        } catch {
            observer?.refused(Happening(event, arguments), source, error)
        }
    }

    /// Asks the hooks about a step; throws if one refuses it.
    func askHooks(_ step: Step) throws(Reason) {
        for hook in hooks {
            do { try hook.before(step, at: timerQueue.now) } catch {
                throw .hookRefused(hook.name, error.why)
            }
        }
    }

    /// Gives a step to the observer, the hooks and the observations. Where there is only an observer, which is the
    /// common case, the step is not copied.
    @usableFromInline func tell(_ step: consuming Step) {
        guard !step.isBeat, !hooks.isEmpty || isObserved else {
            observer?.did(step)
            return
        }
        // An observation that begins while the others are told has the present already.
        let observations = observations
        observer?.did(copy step)
        for hook in hooks { hook.after(step, at: timerQueue.now) }
        publish(step, to: observations)
    }

    // MARK: the published state

    /// Tells of the present state's name and data, now and after each change of either or each entry,
    /// for as long as the observation is held on to. What is sent meanwhile is posted.
    public func observe(_ tell: @escaping (Place) -> Void) -> Observation {
        let observation = Observation(self, tell)
        observations.add(observation)
        queue.during { tell(place) }
        return observation
    }

    func forget(_ observation: Observation) { observations.remove(observation) }

    var isObserved: Bool { !observations.isEmpty }

    func publish(_ step: borrowing Step, to observations: ObservationList) {
        guard let to = step.to else { return }
        switch step.kind {
        case .open, .enter, .goto, .keep: observations.tell(to)
        case .defer, .drop, .timer, .close: break
        }
    }

    // MARK: entries

    /// The entry being made becomes the present one. The old one's timers are over, whoever still
    /// holds their names, and what it posted has its turn after this step.
    @usableFromInline func begin(_ source: Source) {
        takeEntry()
        lastAt = timerQueue.now
        guard !making.posts.isEmpty else { return }
        for post in exchange(&making.posts, with: []) {
            self.post(post.event, post.arguments, from: source)
        }
    }

    /// Ends the present entry's timers, for good: the machine is not used again.
    public func end() { timerQueue.end(entry) }

    /// The entry being made comes to nothing.
    @usableFromInline func abandon() {
        timerQueue.end(making.timers)
        making = Making()
    }

    /// The entry being made is one that was written down: nothing of it is news.
    func resume() {
        takeEntry()
        making.posts = []
    }

    private func takeEntry() {
        timerQueue.end(entry)
        entry = making.timers
        making.timers = TimerGroup()
    }

    // MARK: looking

    /// The timers of the present state that are still to fire, in the order in which they were set.
    public final var liveTimers: [LiveTimer] {
        timerQueue.timers(of: entry).compactMap { id in
            timerQueue.facts(id).map {
                LiveTimer(id: id, fires: flow.signalName($0.tag), facts: $0)
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
    public let facts: TimerFacts
}
