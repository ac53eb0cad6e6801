internal import Timers

/// Writing a machine down, and making it again from what was written.
extension AnyMachine {
    /// The machine as it is now.
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

    /// Puts a new machine where another one was written down. `pause` says what has become of time since.
    ///
    /// Nobody is told, no effect is asked, and nothing that waits is offered. The timers are added to `timers`
    /// rather than set: those of all machines are set together (`RestoredTimer.set`), in the order in
    /// which they were, so that two of one instant still fire in that order. Throws what the flow says
    /// of a state or of data that it does not know any more; the machine is then in no state.
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

    /// Each timer of the entry finds the record of its signal. What has none had fired, or was dropped,
    /// when the machine was written down, and is not set.
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
            // The first one mostly: then nothing is moved.
            if place == left.startIndex { left = left.dropFirst() } else { left.remove(at: place) }
            // A pendulum's period of nothing would be due for ever.
            if isPendulum, record.total < .milliseconds(1) { return timerQueue.drop(id) }
            let restart = TimerRestart(
                policy: extras?.policies[tag] ?? .deadline, isPendulum: isPendulum, pause: pause,
                timerQueue: timerQueue)
            restored.append(RestoredTimer(id, record, restart.setting(of: record)))
        }
    }
}
