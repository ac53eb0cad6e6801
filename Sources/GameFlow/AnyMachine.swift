public import JSON
public import Timers

/// A machine as the rooms above know it: names, values and timers; no types of its flow.
///
/// It owns the timers of its present entry, and is what they tell when they are due.
public class AnyMachine: TimerOwner {
    public let flow: AnyFlow
    let agenda: Agenda
    let queue: EventQueue
    /// Who is told of every step. It outlives the machine (`MachineObserver`); counting that for each
    /// step would cost as much as a timer does.
    public unowned(unsafe) let observer: any MachineObserver
    /// The timers of the present entry.
    private var entry = TimerGroup()
    /// What the entry being made has asked for so far.
    var making = Making()
    /// The present state's name and data.
    public internal(set) var place = Place("")
    private(set) var observations = ObservationList()
    /// Why the event was dropped that was dropped last; for whoever is told of it.
    public internal(set) var whyDropped: Refusal?

    /// How many deferred events a machine keeps.
    public static let deferLimit = 16

    struct Post {
        let event: String
        let arguments: [Member]
    }

    struct Making {
        var timers = TimerGroup()
        var posts: [Post] = []
        /// What each timer is to do after a restart, by its tag; noted only while a machine is restored.
        var policies: [UInt8: AfterRestart]?
    }

    init(
        _ flow: AnyFlow, on agenda: Agenda, _ queue: EventQueue, observer: any MachineObserver
    ) {
        self.flow = flow
        self.agenda = agenda
        self.queue = queue
        self.observer = observer
    }

    deinit { end() }

    // MARK: what happens to it

    /// Enters its first state, the flow's initial one unless told otherwise.
    public func open(_ state: String?, _ data: [Member], from source: Source) throws(Refusal) {
        try queue.run { () throws(Refusal) in
            try flow.put(self, state ?? flow.initial, data, .open, source)
        }
    }

    /// Takes an event, or throws why not.
    public func send(_ event: EventIndex, _ arguments: [Member], from source: Source)
        throws(Refusal)
    {
        try queue.run { () throws(Refusal) in
            try flow.send(self, event.index, arguments, source)
        }
    }

    /// Enters any state from any, without asking the selector.
    public func goto(_ state: String, _ data: [Member], from source: Source) throws(Refusal) {
        try queue.run { () throws(Refusal) in try flow.put(self, state, data, .goto, source) }
    }

    /// A timer of the present entry is due.
    public func due(_ tag: UInt8, missed: Int) {
        do throws(Refusal) {
            try queue.run { () throws(Refusal) in try flow.due(self, tag, missed) }
        } catch {
            observer.refused(Happening(flow.signals[Int(tag)]), .timer, error)
        }
        observer.fired(flow.signals[Int(tag)])
    }

    /// Sends an event once the present step is over. A refusal goes to the observer.
    public func post(_ event: String, _ arguments: [Member], from source: Source) {
        let isTaken = queue.post { [weak self] in
            self?.sendPosted(event, arguments, from: source)
        }
        if !isTaken { observer.refused(Happening(event, arguments), source, .tooManyPosts) }
    }

    private func sendPosted(_ event: String, _ arguments: [Member], from source: Source) {
        do throws(Refusal) {
            try flow.send(self, flow.event(event).index, arguments, source)
        } catch {
            observer.refused(Happening(event, arguments), source, error)
        }
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
    func begin(_ source: Source) {
        takeEntry()
        guard !making.posts.isEmpty else { return }
        for post in exchange(&making.posts, with: []) {
            self.post(post.event, post.arguments, from: source)
        }
    }

    /// Ends the present entry's timers, for good: the machine is not used again.
    public func end() { agenda.end(entry) }

    /// The entry being made comes to nothing.
    func abandon() {
        agenda.end(making.timers)
        making = Making()
    }

    /// The entry being made is one that was written down: nothing of it is news.
    func resume() {
        takeEntry()
        making.posts = []
    }

    private func takeEntry() {
        agenda.end(entry)
        entry = making.timers
        making.timers = TimerGroup()
    }

    // MARK: looking

    /// The timers of the present state that are still to fire, in the order in which they were set.
    public var timers: [LiveTimer] {
        agenda.timers(of: entry).compactMap { id in
            agenda.facts(id).map { LiveTimer(id: id, fires: flow.signals[Int($0.tag)], facts: $0) }
        }
    }

    /// A timer by the signal it sends; nil if the state has none such now.
    public func timer(_ fires: String) -> LiveTimer? { timers.first { $0.fires == fires } }

    public var isFinal: Bool { !flow.finals.isEmpty && flow.finals.contains(place.state) }
    /// The events that the state takes or defers with some arguments, in the flow's order.
    public var accepts: [String] { flow.accepts(self) }
    /// How many events wait for another state.
    public var deferredCount: Int { flow.deferredCount(self) }
}

/// A timer of a machine's present state, with what is known of it.
public struct LiveTimer {
    public let id: TimerID
    /// The signal that it sends.
    public let fires: String
    public let facts: TimerFacts
}
