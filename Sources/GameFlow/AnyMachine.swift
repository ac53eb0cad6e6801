public import Timers

/// A machine without its flow's types: it works with names, values and timers. The sessions use machines through this class.
/// The subclass `StateMachine` has the state.
///
/// A machine owns the timers of its present entry and handles their signals.
///
/// Most stored properties are `@exclusivity(unchecked)`: overlapping accesses to them are not checked at run time, because the
/// check would take a third of an event's time. This is safe for two reasons: a machine is used in one context at a time, and no access to
/// a property is in progress while code of the flow or of a hook runs. For example, the release of the old state may run a
/// `deinit`. So the old state is first swapped out of its property, and released when the access is over.
public class AnyMachine: TimerOwner {
    /// The machine's flow; `AnyFlow.placeholder` if the machine was created without a flow.
    public final let flow: AnyFlow
    /// The timers of the machine's clock.
    @usableFromInline final let timerQueue: TimerQueue
    /// Runs the machine's events one at a time; machines that share a clock or a daemon may share it.
    @usableFromInline final let queue: EventQueue
    /// Receives every step with names and data. The reference is not counted (`unowned(unsafe)`), because counting it for each
    /// step would cost as much as setting a timer. The creator of the machine must keep the observer alive.
    public unowned(unsafe) final let observer: (any MachineObserver)?
    /// The properties that few machines need: hooks, posted events, operations on timers and restart
    /// policies. Nil until the machine needs one of these properties.
    @exclusivity(unchecked) final var features: MachineFeatures?
    /// Whether anything checks or receives the steps: an observer, a hook, a validator, an effect handler, or the platform's
    /// Observation.
    @exclusivity(unchecked) @usableFromInline final var hasObservers: Bool
    /// Whether nothing but observers with the flow's types (`observe`, `states`, `derive`) receives the steps. They need the old and
    /// the new state and nothing else, so that no step is described.
    @exclusivity(unchecked) @usableFromInline final var onlyPublishes = false
    /// Whether the machine has an observer or a hook that works with names and data (`MachineObserver`, `StepHook`). For
    /// other machines, a step does not compute the names and data.
    @usableFromInline final let needsRecords: Bool
    /// Whether `prepareForEvent` must be called before each event. True if the machine reads a real clock itself. Also true if
    /// the machine has effect handlers that are not isolated to an actor: the results of these handlers wait until the machine
    /// fetches them.
    @exclusivity(unchecked) @usableFromInline final var preparesForEvents: Bool
    /// Whether the flow has final states.
    @usableFromInline final let hasFinals: Bool
    /// Whether the machine keeps the moments to which it can go back.
    @usableFromInline final let keepsMoments: Bool
    /// Whether the step that is being made has posted an event with `Entry.post`, or its entry has drawn a value.
    @exclusivity(unchecked) @usableFromInline final var hasRequests = false
    /// Whether the step that is being made operates timers or has drawn a value.
    @exclusivity(unchecked) @usableFromInline final var hasAdjustments = false
    /// Whether the machine is being restored. Each entry then records the restart policies of its timers.
    @exclusivity(unchecked) @usableFromInline final var isRestoring = false
    /// Whether the machine has deferred events. The flag is stored here and not in `StateMachine`, because next to the other
    /// flags it takes no additional memory.
    @exclusivity(unchecked) @usableFromInline final var hasDeferredEvents = false
    /// Whether `end` was called.
    @exclusivity(unchecked) final var hasEnded = false
    /// The timers of the present entry.
    @exclusivity(unchecked) @usableFromInline final var entryTimers = TimerGroup()
    /// The timers of the entry that is being made. All machines that share the queue also share this group. One group is
    /// sufficient, because only one entry is made at a time.
    @usableFromInline final var newEntryTimers: TimerGroup {
        @inlinable get { queue.newEntryTimers }
        @inlinable _modify { yield &queue.newEntryTimers }
    }
    /// The instant at which the present entry began.
    @exclusivity(unchecked) @usableFromInline final var enteredAt = Instant.zero
    /// The cached name and data of the present state; nil if they were not computed since the state or its data changed.
    @exclusivity(unchecked) @usableFromInline final var cachedRecord: StateRecord?

    /// The maximum number of deferred events of a machine.
    public static let deferLimit = 16

    @usableFromInline init(
        _ flow: AnyFlow, on timerQueue: TimerQueue, _ queue: EventQueue,
        clock: (any TimerClock)? = nil, observer: (any MachineObserver)?, hooks: [any StepHook]
    ) {
        (self.flow, self.timerQueue, self.queue, self.observer) = (
            flow, timerQueue, queue, observer
        )
        needsRecords = observer != nil || !hooks.isEmpty
        hasObservers = needsRecords
        preparesForEvents = clock?.isReal ?? false
        hasFinals = !flow.finals.isEmpty
        keepsMoments = !flow.statesWithBack.isEmpty
        super.init()
        timerQueue.whileMaking {}
        // A machine on a clock has a queue of its own, which retains the clock: sessions, which share a queue, need no memory for it.
        if let clock { queue.clock = clock }
        if !hooks.isEmpty { features = MachineFeatures(hooks: hooks) }
    }

    // Not `end`: the object of the subclass, which has the features, is released already.
    deinit { timerQueue.end(entryTimers) }

    /// The machine's `features`. Creates them at the first use.
    final var createdFeatures: MachineFeatures {
        if let features { return features }
        let newFeatures = MachineFeatures(hooks: [])
        features = newFeatures
        return newFeatures
    }

    /// Fires every timer that is due now on the machine's clock, and posts the results of effect handlers.
    @usableFromInline final func prepareForEvent() {
        queue.clock?.fireDueTimers()
        postResults()
    }

    /// Does the same before the machine is read. The timers of a clock that wakes up by itself are left to it.
    final func prepareForReading() {
        if queue.isBusy { return }
        if let clock = queue.clock as? TaskClock, !clock.wakesUp { clock.fireDueTimers() }
        postResults()
    }

    /// Posts the results of finished effect handlers that are not isolated to an actor.
    func postResults() {}

    /// The present state's name and data.
    public final var place: StateRecord {
        if let cachedRecord { return cachedRecord }
        timerQueue.adoptContext()
        let place = describeState()
        cachedRecord = place
        return place
    }

    /// Releases the name and the data of the present state, which `place` then makes again. For a machine that rests.
    package final func forgetPlace() { cachedRecord = nil }

    // `StateMachine` overrides the next four members.

    /// Computes the name and data of the present state.
    func describeState() -> StateRecord { StateRecord("") }
    /// The deferred events, oldest first.
    package var deferredEvents: [(event: EventRecord, source: Source)] { [] }
    /// The number of deferred events.
    public var deferredCount: Int { 0 }
    /// Handles the signal whose raw value is `tag`. `missed` is the number of a pendulum's periods that were missed before it.
    func fire(_ tag: UInt8, missed: Int) throws(Reason) {}

    // MARK: events and commands

    /// The seed of the session and the number of draws; nil for a flow that draws nothing.
    public final var chance: Chance? { flow.readChance?(self) }

    /// Sets the seed from which the machine draws, as in a test that needs certain values. Without a seed, the machine of a flow that
    /// draws gets one from the system, or in a dry run draws from the script of a search. Does nothing for a flow that draws nothing.
    /// A flow file uses the seed that the machine has when its first state is entered.
    public final func setSeed(_ seed: UInt64) {
        if flow.drawsChance { createdFeatures.chance = Chance(seed: seed) }
    }

    /// Enters the first state: `state`, or the flow's initial state if `state` is nil.
    public func open(_ state: String?, _ data: [Member], from source: Source) throws(Reason) {
        let state = state ?? flow.initial
        let data = flow.namingDurations(data, of: state)
        try run { () throws(Reason) in
            try flow.enterState(self, state, data, .open, source)
        }
    }

    /// Handles an event, or throws the reason for its refusal. During a step the event is posted instead: it runs after the
    /// step, and a refusal goes to the observer.
    public final func send(_ event: EventIndex, _ arguments: [Member], from source: Source)
        throws(Reason)
    {
        timerQueue.adoptThread()
        // An index of another flow can be beyond the events of this one.
        guard flow.events.indices.contains(event.index) else { throw .unknownEvent }
        if queue.isBusy { return post(flow.events[event.index].name, arguments, from: source) }
        try queue.run { () throws(Reason) in
            try flow.send(self, event.index, arguments, source)
        }
    }

    /// Enters a state, whatever the present state is, without calling the selector. Data that every state carries keep their
    /// values, unless `data` has others. During a step of the machine, the state is entered after that step, and nothing changes
    /// if it cannot be entered.
    public func goto(_ state: String, _ data: [Member], from source: Source) throws(Reason) {
        guard !queue.isBusy else {
            // If too many events were posted, nothing changes, as with a state that the flow refuses.
            _ = queue.post { [weak self] in
                try? self?.enterByName(state, data, from: source)
            }
            return
        }
        try enterByName(state, data, from: source)
    }

    private final func enterByName(_ state: String, _ data: [Member], from source: Source)
        throws(Reason)
    {
        let data = flow.namingDurations(data, of: state)
        let given = flow.carriedData.isEmpty ? data : flow.data(given: data, carrying: place.data)
        try run { () throws(Reason) in try flow.enterState(self, state, given, .goto, source) }
    }

    /// Runs a step. During another step, the new step runs as a part of that step.
    private final func run(_ step: () throws(Reason) -> Void) throws(Reason) {
        timerQueue.adoptThread()
        if queue.isBusy { return try step() }
        try queue.run(step)
    }

    /// As `run`, for a step that the timer queue itself has begun in its context.
    private final func runSignal(_ step: () throws(Reason) -> Void) throws(Reason) {
        if queue.isBusy { return try step() }
        try queue.run(step)
    }

    /// Handles a due timer of the present entry. With an observer, the observer calls `take(_:)`.
    public override func due(_ firing: Firing) {
        if let observer { return observer.due(firing, of: self) }
        // `StateMachine.fire` has already reported a refusal to `didRefuse`.
        try? take(firing)
    }

    /// Returns false during a step, in which a hook may use the machine's clock. Due timers then fire after the step. By that time, the
    /// timers of a state that the step has left are ended.
    public override func mayFire() -> Bool {
        if queue.isBusy { queue.fireAfterStep() }
        return !queue.isBusy
    }

    /// Handles the signal whose raw value is `tag` as if its timer were due now.
    package final func fireNow(_ tag: UInt8) {
        // The order matters only among firings of one instant, and the total only for an undo. This firing has neither.
        due(Firing(tag: tag, deadline: timerQueue.now, order: 0, total: .zero))
    }

    /// Handles the signal of a due timer, or throws the reason for its refusal.
    public final func take(_ firing: Firing) throws(Reason) {
        try runSignal { () throws(Reason) in try fire(firing.tag, missed: firing.missed) }
    }

    /// Sends an event after the present step, or immediately if no step is running. A refusal goes to the observer.
    public func post(_ event: String, _ arguments: [Member], from source: Source) {
        timerQueue.adoptContext()
        let isPosted = queue.post { [weak self] in
            self?.sendPosted(event, arguments, from: source)
        }
        if !isPosted { observer?.refused(EventRecord(event, arguments), source, .tooManyPosts) }
    }

    /// Sends a posted event whose turn has come.
    private func sendPosted(_ event: String, _ arguments: [Member], from source: Source) {
        do throws(Reason) {
            try flow.send(self, flow.event(event).index, arguments, source)
        } catch {
            observer?.refused(EventRecord(event, arguments), source, error)
        }
    }

    /// Returns the step that is about to be made, as hooks and observers see it. If an event enters a state (`enter`), asks the
    /// hooks first; throws if one refuses the step.
    @usableFromInline final func makeStep(
        _ kind: Step.Kind, _ event: consuming EventRecord?, _ source: consuming Source,
        from: consuming StateRecord?, to: consuming StateRecord, _ effects: consuming [EffectRecord]
    ) throws(Reason) -> Step {
        let step = Step(kind, event, from: source, from, to, effects: effects)
        if kind == .enter { try askHooks(step) }
        return step
    }

    /// Calls the hooks before a step; throws if one refuses it.
    @usableFromInline final func askHooks(_ step: Step) throws(Reason) {
        guard let features else { return }
        for hook in features.hooks {
            do { try hook.before(step, at: timerQueue.now) } catch {
                throw .hookRefused(hook.name, error.why)
            }
        }
    }

    /// Reports a step to the observer and, unless the step is a beat, to the hooks. If there is only an observer, which is the
    /// common case, the step is not copied.
    @usableFromInline final func report(_ step: consuming Step) {
        guard let features, !step.isBeat, !features.hooks.isEmpty else {
            observer?.completed(step)
            return
        }
        observer?.completed(copy step)
        for hook in features.hooks { hook.after(step, at: timerQueue.now) }
    }

    /// Whether the machine has hooks, validators, observers or handlers with the flow's types.
    var hasTypedObservers: Bool { false }
    /// Whether the machine has observers with the flow's types, and no hooks, validators or handlers.
    var hasOnlyTypedObservers: Bool { false }

    /// Computes `hasObservers` and `onlyPublishes` again, after an observer, a hook, a validator or a handler was added.
    final func updateHasObservers() {
        hasObservers = needsRecords || hasTypedObservers
        onlyPublishes = !needsRecords && hasOnlyTypedObservers
    }

    // MARK: entries

    /// Makes the new entry the present entry, and `newEntryTimers` its timers. The timers of the old entry end, even if their
    /// handles still exist.
    @inlinable final func beginEntry() {
        enteredAt = timerQueue.replace(&entryTimers, with: &newEntryTimers)
    }

    /// Runs `work`, which makes a state and sets its timers with an entry.
    @inlinable final func makingEntry<Made>(_ work: () throws(Reason) -> Made) throws(Reason)
        -> Made
    {
        queue.isMakingEntry = true
        defer { queue.isMakingEntry = false }
        return try work()
    }

    /// Sets a timer of the entry that is being made. If none is being made, because the program has kept an `Entry` after its
    /// closure, the timer has ended.
    @inlinable final func setEntryTimer<Handle>(_ set: (inout TimerGroup) -> Handle) -> Handle {
        queue.isMakingEntry ? set(&newEntryTimers) : setEndedTimer(set)
    }

    @usableFromInline final func setEndedTimer<Handle>(_ set: (inout TimerGroup) -> Handle)
        -> Handle
    {
        var group = TimerGroup()
        let timer = set(&group)
        timerQueue.end(group)
        return timer
    }

    /// Passes the events that `addPost` collected to the queue, which sends them after this step, and keeps the step's draws.
    @usableFromInline final func carryOutRequests(from source: Source?) {
        createdFeatures.keepDraws()
        for post in createdFeatures.takePosts() {
            self.post(post.event, post.arguments, from: source ?? .program)
        }
        hasRequests = false
    }

    /// Adds an event that is sent after the present step, if the step is not refused.
    @usableFromInline final func addPost(_ event: String, _ arguments: [Member]) {
        createdFeatures.requests.posts.append(.init(event: event, arguments: arguments))
        hasRequests = true
    }

    /// Adds an operation on a timer. The operation is carried out at the end of the present step, if the step keeps the state
    /// and is not refused.
    final func addAdjustment(_ timer: TimerID, _ adjustment: TimerAdjustment) {
        createdFeatures.requests.adjustments.append((timer, adjustment))
        hasAdjustments = true
    }

    /// Carries out the operations on timers that the present step requested. Called only if the step was not refused.
    @usableFromInline final func adjustTimers() {
        for (timer, adjustment) in createdFeatures.takeAdjustments() {
            adjustment.apply(to: timer, on: timerQueue)
        }
        hasAdjustments = false
    }

    /// Records the restart policy of a timer of the entry that is being made.
    @usableFromInline final func recordPolicy(_ policy: AfterRestart, of tag: UInt8) {
        // `deadline` is the default. The features are not allocated only to record it.
        if case .deadline = policy, features == nil { return }
        createdFeatures.requests.policies[tag] = policy
    }

    /// Ends the machine's timers, the tasks of its effect handlers, and the sequences and streams of its states. Nothing may be sent
    /// to the machine afterwards.
    public func end() {
        hasEnded = true
        timerQueue.end(entryTimers)
        endFeatures()
    }

    /// Ends the tasks of effect handlers, and the sequences and streams of the states. `StateMachine` overrides it.
    func endFeatures() {}

    /// Discards the entry that is being made, with its timers, posts and operations on timers.
    @usableFromInline final func abandonEntry() {
        timerQueue.end(newEntryTimers)
        newEntryTimers = TimerGroup()
        if hasRequests { dropRequests() }
        if hasAdjustments { dropAdjustments() }
    }

    /// Runs `work`, which makes an entry only to find out whether it is possible, and discards that entry. A step may ask for this
    /// with `StateMachine.can`. The step's own entry then continues unchanged, with its timers and with all that it has requested.
    final func discardingEntry(_ work: () throws(Reason) -> Void) throws(Reason) {
        let (outerTimers, isMaking) = (newEntryTimers, queue.isMakingEntry)
        let outerFlags = (hasRequests, hasAdjustments, isRestoring)
        let outerRequests = features?.requests
        newEntryTimers = TimerGroup()
        (hasRequests, hasAdjustments, isRestoring) = (false, false, false)
        features?.requests = .init()
        defer {
            abandonEntry()
            (newEntryTimers, queue.isMakingEntry) = (outerTimers, isMaking)
            (hasRequests, hasAdjustments, isRestoring) = outerFlags
            features?.requests = outerRequests ?? .init()
        }
        try work()
    }

    /// Makes a restored entry the present entry. The posts of the entry are dropped, because they were sent before the restart.
    /// `enteredAt` is not set: a refusal shows it only together with the event that led into the state, and a restored machine
    /// does not know this event.
    @usableFromInline final func resumeEntry() {
        timerQueue.replace(&entryTimers, with: &newEntryTimers)
        if hasRequests { dropRequests() }
    }

    /// Removes the events that the step has posted, and takes its draws back.
    private func dropRequests() {
        createdFeatures.takeBackDraws()
        _ = createdFeatures.takePosts()
        hasRequests = false
    }

    /// Removes the operations on timers that the step has requested.
    private func dropAdjustments() {
        _ = createdFeatures.takeAdjustments()
        hasAdjustments = false
    }

    // MARK: queries

    /// The running and the paused timers of the present state, in the order in which its entry set them.
    public final var liveTimers: [LiveTimer] {
        var timers: [LiveTimer] = []
        forEachLiveTimer { timers.append($0) }
        return timers
    }

    /// Calls `body` with each timer that `liveTimers` has.
    final func forEachLiveTimer(_ body: (LiveTimer) -> Void) {
        if entryTimers.isEmpty { return }
        timerQueue.forEachTimer(of: entryTimers) { id, tag, _ in
            guard let info = timerQueue.info(id) else { return }
            body(
                LiveTimer(
                    id: id, fires: flow.signalName(tag), info: info,
                    until: info.kind == .until ? timerQueue.until(id) : nil, flow))
        }
    }

    /// The number of the timers that `liveTimers` has.
    package final var timerCount: Int {
        if entryTimers.isEmpty { return 0 }
        var count = 0
        timerQueue.forEachTimer(of: entryTimers) { _, _, _ in count += 1 }
        return count
    }

    /// The timers that `liveTimers` has, as they are now.
    final var timerReading: GroupReading {
        entryTimers.isEmpty ? .none : timerQueue.reading(of: entryTimers)
    }

    /// Returns the timer that sends a signal; nil if the state has none.
    public func timer(_ fires: String) -> LiveTimer? { liveTimers.first { $0.fires == fires } }

    /// Whether the present state is a final state.
    public var isFinal: Bool { !flow.finals.isEmpty && flow.finals.contains(place.state) }
    /// The sentences of the flow's invariants that the present state breaks.
    public var brokenInvariants: [String] { breaches.map(\.sentence) }
    /// The flow's invariants that the present state breaks.
    package var breaches: [InvariantBreach] {
        timerQueue.adoptContext()
        return flow.breaches(self)
    }
    /// The events that the state takes or defers for some arguments, in the flow's order.
    public var accepts: [String] {
        timerQueue.adoptContext()
        return flow.accepts(self)
    }
}

/// A running or paused timer of a machine's present state.
public struct LiveTimer: Sendable {
    /// Identifies the timer in its queue; an identifier of no timer for a timer of an earlier instant.
    public let id: TimerID
    /// The name of the signal that the timer sends.
    public let fires: String
    /// The kind of the timer and its times.
    public let info: TimerInfo
    /// For a mark, the signal of its countdown; empty for any other timer.
    public let countdown: String
    /// For a timer that fires at a time of day, that time; nil for any other timer.
    package let until: UntilTime?

    /// A running or paused timer of the present instant.
    init(id: TimerID, fires: String, info: TimerInfo, until: UntilTime?, _ flow: AnyFlow) {
        (self.id, self.fires, self.info, self.until) = (id, fires, info, until)
        countdown = info.mark.map { flow.signalName($0.countdown) } ?? ""
    }

    /// A timer of an earlier instant, which may have ended since.
    package init(fires: String, info: TimerInfo, until: UntilTime?, _ flow: AnyFlow) {
        self.init(id: .none, fires: fires, info: info, until: until, flow)
    }
}
