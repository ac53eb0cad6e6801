internal import Timers

/// Writing a machine down, and making it again from what was written.
extension AnyMachine {
    /// The machine as it is now.
    public var snapshot: MachineSnapshot {
        let records = liveTimers.map { timer in
            let facts = timer.facts
            let standing: TimerRecord.Standing =
                facts.deadline.map { .running(until: $0) } ?? .paused(remaining: facts.remaining)
            return TimerRecord(
                fires: timer.fires, total: facts.total, standing: standing, order: facts.order)
        }
        return MachineSnapshot(
            place: place, timers: records,
            waiting: deferredEvents.map { MachineSnapshot.Deferred($0.event, from: $0.source) })
    }

    /// Puts a new machine where another one was written down. `pause` says what has become of time since.
    ///
    /// Nobody is told, no effect is asked, and nothing that waits is offered. The timers are given back
    /// rather than set: those of all machines are set together (`RestoredTimer.set`), in the order in
    /// which they were, so that two of one instant still fire in that order. Throws what the flow says
    /// of a state or of data that it does not know any more; the machine is then in no state.
    public func restore(_ snapshot: MachineSnapshot, after pause: Downtime) throws(Reason)
        -> [RestoredTimer]
    {
        for record in snapshot.timers { try record.check() }
        notesPolicies = true
        defer {
            notesPolicies = false
            extras?.policies = [:]
        }
        do throws(Reason) {
            try flow.restore(self, snapshot)
        } catch {
            abandon()
            throw error
        }
        return match(snapshot.timers, pause)
    }

    /// Each timer of the entry finds the record of its signal. What has none had fired, or was dropped,
    /// when the machine was written down, and is not set.
    private func match(_ records: [TimerRecord], _ pause: Downtime) -> [RestoredTimer] {
        var left = records
        var restored: [RestoredTimer] = []
        for timer in liveTimers {
            guard let place = left.firstIndex(where: { $0.fires == timer.fires }) else {
                timerQueue.drop(timer.id)
                continue
            }
            // A pendulum's period of nothing would be due for ever.
            if timer.facts.isPendulum, left[place].total < .milliseconds(1) {
                timerQueue.drop(timer.id)
                left.remove(at: place)
                continue
            }
            let policy = extras?.policies[timer.facts.tag] ?? .deadline
            restored.append(
                RestoredTimer(
                    id: timer.id, record: left.remove(at: place), policy: policy, pause: pause,
                    isPendulum: timer.facts.isPendulum, timerQueue: timerQueue))
        }
        return restored
    }
}
