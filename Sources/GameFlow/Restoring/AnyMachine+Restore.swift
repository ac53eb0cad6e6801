public import Timers

/// Writing a machine down, and making it again from what was written.
extension AnyMachine {
    /// The machine as it is now.
    public var snapshot: MachineSnapshot {
        let records = timers.map { timer in
            let facts = timer.facts
            let standing: TimerRecord.Standing =
                facts.deadline.map { .running(until: $0) } ?? .paused(remaining: facts.remaining)
            return TimerRecord(
                fires: timer.fires, total: facts.total, standing: standing, order: facts.order)
        }
        return MachineSnapshot(place: place, timers: records, waiting: flow.waiting(self))
    }

    /// Puts a new machine where another one was written down. `lastSign` is the last instant at which the
    /// daemon is known to have been up: what was left of a timer is counted from there.
    ///
    /// Nobody is told, no effect is asked, and nothing that waits is offered. The timers are given back
    /// rather than set: those of all machines are set together (`RestoredTimer.set`), in the order in
    /// which they were, so that two of one instant still fire in that order. Throws what the flow says
    /// of a state or of data that it does not know any more; the machine is then in no state.
    public func restore(_ snapshot: MachineSnapshot, lastSign: Instant) throws(Refusal)
        -> [RestoredTimer]
    {
        for record in snapshot.timers { try record.check() }
        making.policies = [:]
        defer { making.policies = nil }
        do throws(Refusal) {
            try flow.restore(self, snapshot)
        } catch {
            abandon()
            throw error
        }
        return match(snapshot.timers, lastSign)
    }

    /// Puts a new machine where another one was a moment ago, in the same process: each timer as it stood,
    /// whatever its declaration says, and a pendulum on its grid.
    public func rewind(_ snapshot: MachineSnapshot) throws(Refusal) -> [RestoredTimer] {
        let now = agenda.now
        return try restore(snapshot, lastSign: now).map { timer in
            let isPendulum = agenda.facts(timer.id)?.isPendulum == true
            return RestoredTimer(
                id: timer.id, record: timer.record, policy: isPendulum ? .remaining : .deadline,
                lastSign: now, agenda: agenda)
        }
    }

    /// Each timer of the entry finds the record of its signal. What has none had fired, or was dropped,
    /// when the machine was written down, and is not set.
    private func match(_ records: [TimerRecord], _ lastSign: Instant) -> [RestoredTimer] {
        var left = records
        var restored: [RestoredTimer] = []
        for timer in timers {
            guard let place = left.firstIndex(where: { $0.fires == timer.fires }) else {
                agenda.drop(timer.id)
                continue
            }
            // A pendulum's period of nothing would be due for ever.
            if timer.facts.isPendulum, left[place].total < .milliseconds(1) {
                agenda.drop(timer.id)
                left.remove(at: place)
                continue
            }
            let policy = making.policies?[timer.facts.tag] ?? .deadline
            restored.append(
                RestoredTimer(
                    id: timer.id, record: left.remove(at: place), policy: policy,
                    lastSign: lastSign, agenda: agenda))
        }
        return restored
    }
}

/// A timer that was made again, and waits to be set to where it stood.
public struct RestoredTimer {
    let id: TimerID
    let record: TimerRecord
    let policy: AfterRestart
    let lastSign: Instant
    let agenda: Agenda

    /// Sets the timers of all machines, in the order in which they had been set.
    /// What is set later counts as later than any that was written down.
    public static func set(_ timers: [RestoredTimer]) {
        let ordered = timers.sorted { $0.record.order < $1.record.order }
        if let last = ordered.last { last.agenda.continueOrder(after: last.record.order) }
        for timer in ordered { timer.set() }
    }

    /// What was left at the last sign of life. A pendulum may have beaten since it was written down, for
    /// beats are not: it keeps its grid.
    private func left(until deadline: Instant) -> Interval {
        let left = deadline - lastSign
        guard left <= .zero, agenda.facts(id)?.isPendulum == true else { return max(left, .zero) }
        let period = record.total.nanoseconds
        return Interval(nanoseconds: period - (-left.nanoseconds) % period)
    }

    private func set() {
        let (total, now) = (record.total, agenda.now)
        switch (policy, record.standing) {
        case (.drop, _): agenda.drop(id)
        // Who stopped it has to let it go on, however long that takes.
        case (_, .paused(let remaining)):
            agenda.restore(id, total: total, pausedWith: remaining)
        case (.deadline, .running(let deadline)):
            agenda.restore(id, total: total, firingAt: deadline)
        case (.remaining, .running(let deadline)):
            agenda.restore(id, total: total, firingAt: now + left(until: deadline))
        case (.restart, .running):
            agenda.restore(id, total: total, firingAt: now + total)
        }
    }
}
