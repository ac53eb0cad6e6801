package import Timers

extension StateMachine {
    /// Restores the state and the deferred events of a snapshot. The flow's `entering` makes the state from the recorded name
    /// and data, and sets new timers of the state; `AnyMachine.restore` then matches these timers with their records. `read`
    /// converts a deferred event's record to a typed event and its index in the flow's list of events. This method is
    /// inlinable, so that the compiler specialises it in the flow's module. Its speed matters, because a start of the daemon
    /// calls it for each session.
    @inlinable func restore<F: Flow>(
        _ flow: F, _ name: F.StateName, _ snapshot: MachineRecord,
        _ read: (EventRecord) throws(Reason) -> (index: Int, event: Event)
    ) throws(Reason) where F.State == State, F.Event == Event {
        // Usually there are no deferred events, and `deferred` is nil. An empty array instead of nil would need a look-up of
        // its type at run time.
        let deferred = snapshot.waiting.isEmpty ? nil : try typedEvents(snapshot.waiting, read)
        let transition = try flow.entering(name, Arguments(recorded: snapshot.place.data))
        guard transition.kind == .enter else { throw .unknownState }
        let next = try makingEntry { () throws(Reason) in
            try transition.make(Entry(machine: self))
        }
        let record = engine.stateRecord(engine, next)
        // The restored state must equal the recorded state, which clients have seen.
        guard record == snapshot.place else {
            throw .invalid("state", "the restored state differs from the stored one")
        }
        resumeEntry()
        current = next
        cachedRecord = record
        if let deferred { restore(deferred: deferred) }
    }

    /// Converts the records of deferred events to typed events.
    @usableFromInline func typedEvents(
        _ events: [MachineRecord.Deferred],
        _ read: (EventRecord) throws(Reason) -> (index: Int, event: Event)
    ) throws(Reason) -> [DeferredEvent] {
        var typed: [DeferredEvent] = []
        for recorded in events {
            let (index, event) = try read(recorded.event)
            let context = EventContext(.event(index), recorded.source, recorded.event.arguments)
            typed.append(DeferredEvent(event: event, context: context))
        }
        return typed
    }
}

/// Taking a snapshot of a machine, and restoring a machine from a snapshot.
extension AnyMachine {
    /// A snapshot of the machine at the present instant.
    package var snapshot: MachineRecord {
        var (records, hasMarks): ([TimerRecord], Bool) = ([], false)
        forEachLiveTimer { timer in
            // A mark is where its countdown is.
            if timer.info.mark != nil {
                hasMarks = true
                return
            }
            records.append(TimerRecord(timer))
        }
        return MachineRecord(
            place: place, timers: records,
            waiting: deferredEvents.map { MachineRecord.Deferred($0.event, from: $0.source) },
            hasMarks: hasMarks, extras)
    }

    /// Restores a new machine from a snapshot. `downtime` describes the time since the snapshot.
    ///
    /// Nothing is reported to the observer or to hooks, no effect is requested, and the deferred events are not sent to the
    /// state. The machine's timers are appended to `timers`, but do not run yet. The caller sets the timers of all machines
    /// together, with `RestoredTimer.set`. `RestoredTimer.set` uses the recorded order, so that timers with equal deadlines
    /// keep their order.
    ///
    /// Throws if the flow does not accept the state, its data or a deferred event, or if a timer's record has impossible
    /// values. The machine then has no state.
    package func restore(
        _ snapshot: MachineRecord, after downtime: Downtime, adding timers: inout [RestoredTimer]
    ) throws(Reason) {
        for record in snapshot.timers { try record.check() }
        isRestoring = true
        let hadFeatures = features != nil
        if flow.drawsChance { createdFeatures.chance = snapshot.chance }
        let moments = keepsMoments ? snapshot.moments : []
        if !moments.isEmpty { createdFeatures.moments = moments }
        defer {
            isRestoring = false
            // Features that only the restart policies needed are released, to save their memory.
            if hadFeatures || !moments.isEmpty || snapshot.chance != nil {
                features?.requests.policies = [:]
            } else if features != nil {
                features = nil
            }
        }
        do throws(Reason) {
            try flow.restore(self, snapshot)
        } catch {
            abandonEntry()
            throw error
        }
        match(snapshot.timers, of: entryTimers, downtime, &timers)
    }

    /// Matches each timer of an entry with the record of the timer's signal. An entry that restores a state sets every timer
    /// that the state can have. A timer without a record is dropped: it had fired or was dropped before the
    /// snapshot, or it was never set.
    func match(
        _ records: [TimerRecord], of group: TimerGroup, _ downtime: Downtime,
        _ restored: inout [RestoredTimer]
    ) {
        var unmatched = records[...]
        timerQueue.forEachTimer(of: group) { id, tag, traits in
            let fires = flow.signalName(tag)
            if traits.contains(.mark) { return restoreMark(id, fires, records, downtime) }
            guard
                let index = unmatched.firstIndex(where: { $0.fires == fires && !$0.isWaitingMark })
            else { return timerQueue.drop(id) }
            let record = unmatched[index]
            // Usually the first record matches. The removal of the first record moves no other record.
            if index == unmatched.startIndex {
                unmatched = unmatched.dropFirst()
            } else {
                unmatched.remove(at: index)
            }
            // A pendulum with a period of zero would always be due. A flow may have other timers than when it was recorded.
            if traits.contains(.pendulum) && record.total < .milliseconds(1)
                || record.hasEnded(withTraits: traits)
            {
                return timerQueue.drop(id)
            }
            if let until = record.until { timerQueue.restoreUntil(id, until) }
            let restart = TimerRestart(
                policy: features?.requests.policies[tag] ?? .deadline, traits: traits,
                downtime: downtime, timerQueue: timerQueue)
            // A pendulum's number in the order of setting, if the caller knows it exactly; nil for other timers.
            let order = downtime.pendulums.isEmpty ? nil : downtime.pendulums[fires]?.order
            restored.append(
                RestoredTimer(
                    id, record, restart.traits(of: record), order: order ?? record.order,
                    restart.setting(of: record)))
        }
    }
}

extension AnyMachine {
    /// Determines from the record of a mark's countdown whether the mark could still fire at the snapshot. If so, it fires at once
    /// if the countdown now has the mark's time left or less.
    private func restoreMark(
        _ id: TimerID, _ fires: String, _ records: [TimerRecord], _ downtime: Downtime
    ) {
        guard let mark = timerQueue.info(id)?.mark,
            let record = records.first(where: { $0.fires == flow.signalName(mark.countdown) })
        else { return timerQueue.restoreMark(id, couldFire: false) }
        let at = downtime.snapshotAt ?? downtime.lastAlive ?? downtime.since ?? timerQueue.now
        let remaining =
            switch record.state {
            case .running(let until): until - at
            case .paused(let remaining): remaining
            }
        let waiting = records.first { $0.isWaitingMark && $0.fires == fires }
        timerQueue.restoreMark(
            id, couldFire: waiting != nil || remaining > mark.left, due: waiting?.deadline)
    }
}

extension AnyFlow {
    /// Returns the reason why a session could not be restored in this state with these data; nil if it could be.
    ///
    /// Performs the same check as a restart: `entering` must accept the data that `describe` returned, and lead to a
    /// state for which `describe` returns the same data.
    public func obstacle(toRestoring place: StateRecord) -> Reason? {
        let machine = dryRunMachine(on: VirtualClock())
        let snapshot = MachineRecord(place: place, timers: [], waiting: [])
        do throws(Reason) {
            // Only the state and its data are checked; no timer is recorded.
            var timers: [RestoredTimer] = []
            try machine.restore(snapshot, after: Downtime(lastAlive: nil), adding: &timers)
            return nil
        } catch { return error }
    }

    /// Returns the reason why a session could not be opened in this state with these data; nil if it could be. Nil for `state`
    /// means the flow's initial state.
    public func obstacle(toOpening state: String?, _ data: [Member]) -> Reason? {
        do throws(Reason) {
            try dryRunMachine(on: VirtualClock()).open(state, data, from: .program)
            return nil
        } catch { return error }
    }

    /// Describes a machine that is restored from `snapshot` at `instant`. In the result, `timers` are the machine's timers.
    /// `accepts` are the events that its state takes or defers for some arguments, in the flow's order. Nil if the flow does
    /// not accept the snapshot.
    package func describe(_ snapshot: MachineRecord, at instant: Instant)
        -> (timers: [LiveTimer], accepts: [String])?
    {
        dryRunMachine(restoredFrom: snapshot, at: instant).map { ($0.liveTimers, $0.accepts) }
    }

    /// Returns the reason why a machine that is restored from `snapshot` at `instant` would refuse an event; nil if it would take or
    /// defer the event, or if the flow does not accept the snapshot. Hooks are not asked.
    package func refusal(
        of event: EventIndex, _ arguments: [Member], from source: Source,
        in snapshot: MachineRecord, at instant: Instant
    ) -> Reason? {
        do throws(Reason) {
            try dryRunMachine(restoredFrom: snapshot, at: instant)?
                .send(event, arguments, from: source)
            return nil
        } catch { return error }
    }

    /// Creates a machine like `dryRunMachine(on:)`, and restores it from `snapshot` at `instant`. Nil if the flow does not accept the
    /// snapshot.
    private func dryRunMachine(restoredFrom snapshot: MachineRecord, at instant: Instant)
        -> AnyMachine?
    {
        let clock = VirtualClock(startingAt: instant)
        let machine = dryRunMachine(on: clock)
        let downtime = Downtime(
            since: instant, pendulums: [:], earlierDowntime: .zero, restartedAt: nil)
        var timers: [RestoredTimer] = []
        do throws(Reason) {
            try machine.restore(snapshot, after: downtime, adding: &timers)
        } catch { return nil }
        RestoredTimer.set(timers, on: clock.timerQueue, queueIsEmpty: true)
        return machine
    }

    /// Creates a machine, without a state, for finding out what an event, an entry or a restart would do. The events that the
    /// machine posts are dropped.
    func dryRunMachine(on clock: VirtualClock) -> AnyMachine {
        machine(
            on: clock.timerQueue, EventQueue(dropsPostedEvents: true), observer: nil,
            isDryRun: true)
    }
}
