package import Timers

/// A state that was left by a row, with its data and timers as they were then. `FlowTransition.back` enters it again.
@usableFromInline package struct Moment: Equatable, Sendable {
    /// The greatest number of moments of a machine. Beyond it, the oldest is forgotten.
    public static let limit = 8

    /// The state and its data.
    public let place: StateRecord
    /// The timers. The deadlines of those that ran are as of `at`.
    public let timers: [TimerRecord]
    /// The instant at which the state was left.
    public let at: Instant

    public init(place: StateRecord, timers: [TimerRecord], at: Instant) {
        (self.place, self.timers, self.at) = (place, timers, at)
    }

    /// A machine's state as it is now.
    init(_ machine: AnyMachine) {
        let now = machine.timerQueue.now
        let firings = machine.features?.waitingFirings?() ?? []
        let snapshot =
            firings.isEmpty
            ? MachineState(machine, at: now).snapshot(at: now)
            : machine.snapshot(before: firings).numberedInOrder
        // A paused timer has no order in a journal, so that the moment equals the one that is read from it.
        let timers = snapshot.timers.map { $0.isPaused ? $0.numbered(0) : $0 }
        self.init(place: snapshot.place, timers: timers, at: now)
    }

    /// The moment, without what was computed from times of day.
    package var withoutDeadlinesAtTimesOfDay: Moment {
        Moment(place: place, timers: timers.map(\.withoutDeadlineAtTimeOfDay), at: at)
    }

    /// Whether an operator has paused timers of the moment together with all others.
    var isHeld: Bool { timers.contains { $0.traits.contains(.held) } }

    /// The moment with the timers running that an operator had paused together with all others.
    var resumed: Moment {
        Moment(
            place: place,
            timers: timers.enumerated().map { index, timer in
                guard timer.traits.contains(.held), case .paused(let remaining) = timer.state
                else { return timer }
                let deadline = timer.until?.deadline ?? at + remaining
                return timer.with(.running(until: deadline), timer.traits.subtracting(.pausing))
                    .numbered(UInt64(index))
            }, at: at)
    }

    /// The timers as they continue at the instant `now`: with what they had left.
    func timers(continuingAt now: Instant) -> [TimerRecord] {
        timers.map { timer in
            guard timer.until == nil, case .running(let until) = timer.state else { return timer }
            return timer.with(.running(until: until + (now - at)))
        }
    }
}

extension AnyMachine {
    /// The moments to which the machine can go back, the newest first.
    package final var moments: [Moment] { keepsMoments ? features?.moments ?? [] : [] }

    /// Returns the moments after an entry into the state `name`. Must be called before the timers of the present state end.
    @usableFromInline final func momentsAfterEntry(_ name: String, _ kind: Step.Kind) -> [Moment] {
        guard kind == .enter else { return [] }
        let present = features?.moments ?? []
        if features?.requests.returning != nil { return Array(present.dropFirst()) }
        if name == place.state { return present }
        guard flow.statesWithBack.contains(name) else { return [] }
        return [Moment(self)] + present.prefix(Moment.limit - 1)
    }

    /// Whether the machine can go back.
    @usableFromInline final var hasMoments: Bool { !moments.isEmpty }

    /// Replaces the moments.
    @usableFromInline final func setMoments(_ moments: [Moment]) {
        if features == nil && moments.isEmpty { return }
        createdFeatures.moments = moments
    }
}

extension StateMachine {
    /// Goes back to the newest moment: enters its state, with its data and timers as they were. If it throws, nothing has changed.
    @usableFromInline func goBack<F: Flow>(
        _ box: FlowBox<F>, _ transition: FlowTransition<F>, _ event: Event,
        _ context: EventContext?
    ) throws(Reason) where F.State == State, F.Event == Event {
        let returning = try self.returning(box, transition, event)
        defer { features?.requests.returning = nil }
        try enter(box.flow, returning, .enter, event, context)
    }

    /// The transition that enters the state of the newest moment. Throws `noTransition` without a moment.
    @usableFromInline func returning<F: Flow>(
        _ box: FlowBox<F>, _ transition: FlowTransition<F>, _ event: Event
    ) throws(Reason) -> FlowTransition<F> where F.State == State, F.Event == Event {
        guard let moment = moments.first, let current else { throw .noTransition }
        let entering = try box.flow.returning(
            transition, to: moment.place, from: current, event)
        createdFeatures.requests.returning = AnyMachine.Returning()
        return FlowTransition(
            kind: .enter, effect: entering.effect, more: entering.more
        ) { [unowned self] entry throws(Reason) in
            try self.makeReturned(to: moment) { () throws(Reason) in try entering.make(entry) }
        }
    }

    /// Makes the state of a moment, and sets its timers as they were.
    private func makeReturned(to moment: Moment, _ make: () throws(Reason) -> State)
        throws(Reason) -> State
    {
        isRestoring = true
        defer { isRestoring = false }
        let state = try make()
        setTimers(of: moment)
        return state
    }
}

extension AnyMachine {
    /// What a transition back has requested besides the moment.
    struct Returning {
        /// What countdowns of the entered state start with, by their tags.
        var left: [(tag: UInt8, remaining: Duration)] = []
    }

    /// Sets the timers of the entry that is being made as they were at a moment.
    fileprivate func setTimers(of moment: Moment) {
        let now = timerQueue.now
        var records = moment.timers(continuingAt: now)
        for (tag, remaining) in features?.requests.returning?.left ?? [] {
            let fires = flow.signalName(tag)
            let index = records.firstIndex { $0.fires == fires }
            guard
                let record = index.map({ records[$0] })
                    ?? newRecord(tag, fires, order: UInt64(records.count))
            else { continue }
            let changed = record.starting(with: remaining, at: now)
            if let index { records[index] = changed } else { records.append(changed) }
        }
        // Of the pendulums, only those are due whose beat waited when the state was left.
        let dueBeats = nextBeats(
            of: newEntryTimers,
            in: records.filter { $0.deadline.map { $0 <= now } ?? false })
        let downtime = Downtime(
            since: now, pendulums: dueBeats, earlierDowntime: .zero, restartedAt: nil,
            snapshotAt: now)
        var timers: [RestoredTimer] = []
        match(records, of: newEntryTimers, downtime, &timers)
        RestoredTimer.set(timers, on: timerQueue, queueIsEmpty: false)
        features?.requests.policies = [:]
    }

    /// The record of a countdown that the entry has just set.
    private func newRecord(_ tag: UInt8, _ fires: String, order: UInt64) -> TimerRecord? {
        var total: Duration?
        timerQueue.forEachTimer(of: newEntryTimers) { id, other, _ in
            if other == tag { total = timerQueue.info(id)?.total }
        }
        return total.map {
            TimerRecord(
                fires: fires, total: $0, state: .running(until: timerQueue.now), order: order)
        }
    }
}
