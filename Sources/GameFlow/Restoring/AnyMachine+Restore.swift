internal import Timers

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
            restored.append(RestoredTimer(id, record, restart.setting(of: record)))
        }
    }
}
