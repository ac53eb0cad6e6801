public import Timers

extension StateMachine {
    /// Restores the recorded state by calling `entering` with its name and data, together with its timers and
    /// deferred events. `read` converts a deferred event's record to a typed event. Inlinable, so that it is
    /// specialised in the flow's module: a start calls it for each session.
    @inlinable func restore<F: Flow>(
        _ flow: F, _ name: F.StateName, _ snapshot: MachineSnapshot,
        _ read: (EventRecord) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) where F.State == State, F.Event == Event {
        // The array is nil for the usual case without deferred events, because creating an array would look up
        // its type at run time.
        let deferred = snapshot.waiting.isEmpty ? nil : try waiting(snapshot.waiting, read)
        let way = try flow.entering(name, Arguments(snapshot.place.data))
        guard way.kind == .enter else { throw .unknownState }
        let next = try way.make(Entry(machine: self))
        let shown = engine.place(engine, next)
        // A restored state must equal the acknowledged one.
        guard shown == snapshot.place else { throw .invalid("state", "comes back as another one") }
        resume()
        current = next
        cachedRecord = shown
        if let deferred { restore(waiting: deferred) }
    }

    @usableFromInline func waiting(
        _ events: [MachineSnapshot.Deferred],
        _ read: (EventRecord) throws(Reason) -> (number: Int, event: Event)
    ) throws(Reason) -> [Waiting] {
        var waiting: [Waiting] = []
        for one in events {
            let (number, event) = try read(one.event)
            let context = EventContext(.event(number), one.source, one.event.arguments)
            waiting.append(Waiting(event: event, context: context))
        }
        return waiting
    }
}

/// Taking a snapshot of a machine, and restoring a machine from a snapshot.
extension AnyMachine {
    /// A snapshot of the machine at the present instant.
    public var snapshot: MachineSnapshot {
        let records = liveTimers.map { timer in
            let info = timer.info
            let standing: TimerRecord.TimerState =
                info.deadline.map { .running(until: $0) } ?? .paused(remaining: info.remaining)
            return TimerRecord(
                fires: timer.fires, total: info.total, standing: standing, order: info.order)
        }
        return MachineSnapshot(
            place: place, timers: records,
            waiting: deferredEvents.map { MachineSnapshot.Deferred($0.event, from: $0.source) })
    }

    /// Restores a new machine from a snapshot. `pause` describes the time since the snapshot.
    ///
    /// Nothing is reported to the observer or to hooks, no effect is requested, and no deferred event is
    /// offered. The timers are appended to `timers` rather than set, because the timers of all machines are set
    /// together (`RestoredTimer.set`) in their recorded order, so that timers with equal deadlines keep their
    /// order. Throws the flow's refusal of an unknown state or of data that it does not accept; the machine
    /// then has no state.
    public func restore(
        _ snapshot: MachineSnapshot, after pause: Downtime, adding timers: inout [RestoredTimer]
    ) throws(Reason) {
        for record in snapshot.timers { try record.check() }
        notesPolicies = true
        let hadExtras = extras != nil
        defer {
            notesPolicies = false
            if hadExtras { extras?.policies = [:] } else if extras != nil { extras = nil }
        }
        do throws(Reason) {
            try flow.restore(self, snapshot)
        } catch {
            abandon()
            throw error
        }
        match(snapshot.timers, pause, &timers)
    }

    /// Matches each timer of the entry with the record of its signal. A timer without a record had fired or was
    /// dropped before the snapshot, and is not set.
    private func match(
        _ records: [TimerRecord], _ pause: Downtime, _ restored: inout [RestoredTimer]
    ) {
        var left = records[...]
        timerQueue.forEachTimer(of: entry) { id, tag, isPendulum in
            let fires = flow.signalName(tag)
            guard let place = left.firstIndex(where: { $0.fires == fires }) else {
                return timerQueue.drop(id)
            }
            let record = left[place]
            // Usually the first record matches, and no element is moved.
            if place == left.startIndex { left = left.dropFirst() } else { left.remove(at: place) }
            // A pendulum with a period of zero would always be due.
            if isPendulum, record.total < .milliseconds(1) { return timerQueue.drop(id) }
            let restart = TimerRestart(
                policy: extras?.policies[tag] ?? .deadline, isPendulum: isPendulum, pause: pause,
                timerQueue: timerQueue)
            let order = pause.pendulums.isEmpty ? nil : pause.pendulums[fires]?.order
            restored.append(
                RestoredTimer(
                    id, record, order: order ?? record.order, restart.setting(of: record)))
        }
    }
}

extension AnyFlow {
    /// Returns the reason for which a session could not be restored in this state with these data; nil if it
    /// could.
    ///
    /// Performs the same check as a restart: `entering` must accept the data that `scene` showed, and lead to a
    /// state that shows the same data.
    public func obstacle(toRestoring place: StateRecord) -> Reason? {
        let machine = rehearsal(on: VirtualClock())
        let snapshot = MachineSnapshot(place: place, timers: [], waiting: [])
        do throws(Reason) {
            var timers: [RestoredTimer] = []
            try machine.restore(snapshot, after: Downtime(lastAlive: nil), adding: &timers)
            return nil
        } catch { return error }
    }

    /// Returns the reason for which a session could not be opened in this state with these data; nil if it could.
    public func obstacle(toOpening state: String?, _ data: [Member]) -> Reason? {
        do throws(Reason) {
            try rehearsal(on: VirtualClock()).open(state, data, from: .program)
            return nil
        } catch { return error }
    }

    /// Returns the timers of a recorded machine at an instant, and the events that its state takes or defers
    /// for some arguments, in the flow's order. Nil if the flow does not accept the record.
    public func describe(_ snapshot: MachineSnapshot, at instant: Instant)
        -> (timers: [LiveTimer], accepts: [String])?
    {
        let clock = VirtualClock(startingAt: instant)
        let machine = rehearsal(on: clock)
        let pause = Downtime(since: instant, pendulums: [:], pausedTime: .zero, restartedAt: nil)
        var timers: [RestoredTimer] = []
        do throws(Reason) { try machine.restore(snapshot, after: pause, adding: &timers) } catch {
            return nil
        }
        RestoredTimer.set(timers, on: clock.timerQueue, isAll: true)
        return (machine.liveTimers, machine.accepts)
    }

    /// Creates a machine that only finds out what an event would do.
    func rehearsal(on clock: VirtualClock) -> AnyMachine {
        machine(
            on: clock.timerQueue, EventQueue(dropsPosts: true), observer: nil, isRehearsal: true)
    }
}
