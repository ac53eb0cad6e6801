package import Timers

extension AnyMachine {
    /// A snapshot of the machine at the present instant, for a machine whose firings may wait before they are handled. `firings`
    /// are those that wait and belong to the present visit of the state, oldest first.
    ///
    /// A timer whose firing waits is recorded as one that has yet to fire, because a snapshot contains no firings. So it fires
    /// again after a restart, as its policy says. Several beats of one pendulum become one. A timer that was operated after its firing
    /// is recorded as it now is: after a restart, that firing does not happen.
    package final func snapshot(before firings: [Firing]) -> MachineRecord {
        let present = snapshot
        if firings.isEmpty && !present.hasMarks { return present }
        var records: [TimerRecord] = []
        timerQueue.forEachReading(of: entryTimers) { reading, until, isLive in
            let info = reading.info(at: timerQueue.now)
            let timer = LiveTimer(
                fires: flow.signalName(info.tag), info: info, until: until, flow)
            if let firing = info.waitingFiring(among: firings, isLive: isLive) {
                records.append(TimerRecord(timer, waitingAs: firing))
            } else if isLive, info.mark == nil {
                records.append(TimerRecord(timer))
            } else if isLive, let due = info.deadline, due <= timerQueue.now {
                // Whether a mark fires after a restart is computed from the instant of the snapshot. This mark is due since
                // before that instant.
                records.append(TimerRecord(timer, .running(until: due), order: info.order))
            }
        }
        return present.with(records)
    }

    /// The machine notes the waiting firings when it leaves a state. If it goes back to that state, they happen then. `read` returns
    /// those of the present visit, oldest first.
    package final func keepWaitingFirings(_ read: @escaping () -> [Firing]) {
        if keepsMoments { createdFeatures.waitingFirings = read }
    }

    /// The next beat of each running pendulum as a snapshot of this instant has it: a beat that waits is the next one.
    package final func nextBeats(in snapshot: MachineRecord) -> [String: Downtime.NextBeat] {
        nextBeats(of: entryTimers, in: snapshot.timers)
    }

    /// The next beats of the pendulums of a group, by their signals, as these records have them.
    final func nextBeats(of group: TimerGroup, in records: [TimerRecord])
        -> [String: Downtime.NextBeat]
    {
        var beats: [String: Downtime.NextBeat] = [:]
        timerQueue.forEachTimer(of: group) { _, tag, traits in
            let fires = flow.signalName(tag)
            guard traits.contains(.pendulum),
                let record = records.first(where: { $0.fires == fires }),
                let deadline = record.deadline
            else { return }
            beats[fires] = Downtime.NextBeat(due: deadline, order: record.order)
        }
        return beats
    }
}

extension TimerInfo {
    /// The oldest firing of this timer that waits; nil if none does. `isLive` is false for a timer that has fired for the last
    /// time.
    fileprivate func waitingFiring(among firings: [Firing], isLive: Bool) -> Firing? {
        firings.first { firing in
            guard firing.tag == tag else { return false }
            // A mark fires with the number of its countdown.
            if mark != nil { return true }
            if isPendulum { return isBeat(at: firing.deadline) }
            // Several timers may have the same tag. A timer that was started again after it fired has another number or end.
            return order == firing.order && (!isLive || isInOvertime && end == firing.deadline)
        }
    }

    /// Whether a pendulum has had a beat at this instant, and was neither paused nor started again since.
    private func isBeat(at instant: Instant) -> Bool {
        guard let end, end > instant, total > .zero else { return false }
        return (end - instant).nanoseconds.isMultiple(of: total.nanoseconds)
    }
}

extension TimerRecord {
    /// The record of a timer whose firing waits.
    fileprivate init(_ timer: LiveTimer, waitingAs firing: Firing) {
        let record = TimerRecord(
            timer, .running(until: firing.deadline), order: firing.order)
        self = record.with(record.state, record.traits.subtracting(.fired))
    }
}
