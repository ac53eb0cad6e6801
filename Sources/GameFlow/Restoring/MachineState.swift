package import Timers

/// A machine as it was at an instant: its state, its timers and its deferred events.
///
/// The state of a machine is noted before each step, for an undo, and few of these notes are used. So a note is cheap: it holds
/// only values that are read from the machine, and `snapshot` converts them when they are used.
package struct MachineState {
    package let flow: AnyFlow
    package let place: StateRecord
    /// The deferred events, oldest first.
    package let waiting: [MachineRecord.Deferred]
    /// The chance and the moments; nil for a flow with neither.
    private let extras: MachineExtras?
    /// The running and paused timers.
    private let timerReading: GroupReading
    /// The firing of the timer whose signal the machine is about to handle; nil if it handles none.
    private let firing: Firing?
    /// The instant.
    package let at: Instant

    /// Describes the machine as it is now, at the instant `at`. `firing` is the firing of the timer whose signal it is about to
    /// handle.
    package init(_ machine: AnyMachine, firing: Firing? = nil, at instant: Instant) {
        (flow, place, extras) = (machine.flow, machine.place, machine.extras)
        waiting = machine.deferredCount == 0 ? [] : machine.snapshot.waiting
        timerReading = machine.timerReading
        (self.firing, at) = (firing, instant)
    }

    /// The running and paused timers.
    package var timers: [LiveTimer] {
        timerReading.timers.map { timer in
            LiveTimer(
                fires: flow.signalName(timer.tag), info: timer.info(at: at),
                until: timerReading.until(timer.tag), flow)
        }
    }

    /// The next deadline of each running pendulum, by its signal. A journal does not know the deadlines, because beats have no
    /// rows. If the machine was about to handle a pendulum's signal, that pendulum already had its next deadline and a new
    /// order number. Its old deadline and order number are returned instead, so that it fires again.
    package var pendulums: [String: Downtime.NextBeat] {
        var nextBeats: [String: Downtime.NextBeat] = [:]
        for timer in timers where timer.info.isPendulum {
            guard let deadline = timer.info.deadline else { continue }
            // Within a machine, the tag identifies a timer.
            nextBeats[timer.fires] =
                if let firing, firing.tag == timer.info.tag {
                    Downtime.NextBeat(due: firing.deadline, order: firing.order)
                } else {
                    Downtime.NextBeat(due: deadline, order: timer.info.order)
                }
        }
        return nextBeats
    }

    /// The snapshot from which a new machine of the flow continues at the instant `now`. `clocks` says whether its timers have the
    /// remaining times that they had at the state's instant, or have run since then.
    package func snapshot(at now: Instant, _ clocks: UndoClocks = .still) -> MachineRecord {
        var records: [TimerRecord] = []
        for timer in timers where timer.info.mark == nil {
            let info = timer.info
            let remaining: Duration =
                if info.isPendulum {
                    info.timeUntilNextBeat(at: clocks == .run ? now : at)
                } else if clocks == .run, let end = info.end {
                    end - now
                } else {
                    // A countdown whose firing was being handled runs on from zero.
                    info.isInOvertime && firing?.tag == info.tag ? .zero : info.remaining
                }
            // A deadline at a time of day stays, whatever time has passed.
            let state: TimerRecord.TimerState =
                info.isPaused
                ? .paused(remaining: remaining)
                : .running(until: timer.until?.deadline ?? now + remaining)
            records.append(TimerRecord(timer, state, order: UInt64(records.count)))
        }
        // If the step handled the signal of a countdown, the countdown has fired and is not among `timers`. This countdown is
        // recorded as paused with no time left, so that it does not fire again at once. A timer's tag is the raw value of its
        // signal.
        if let firing, !timerReading.contains(tag: firing.tag) {
            let fires = flow.signalName(firing.tag)
            let until = timerReading.until(firing.tag)
            records.append(
                TimerRecord(
                    fires: fires,
                    total: until?.total ?? firing.total,
                    state: .paused(remaining: .zero), order: UInt64(records.count),
                    traits: until == nil ? [] : .until, until: until))
        }
        return MachineRecord(
            place: place, timers: records, waiting: waiting,
            hasMarks: timers.contains { $0.info.mark != nil }, extras)
    }
}

extension TimerInfo {
    /// Returns the time from `now` until a pendulum's next beat. Beats that are overdue at `now` are skipped, because the
    /// instants of the later beats do not depend on them.
    fileprivate func timeUntilNextBeat(at now: Instant) -> Duration {
        guard let deadline, total > .zero else { return remaining }
        guard deadline <= now else { return deadline - now }
        let sinceLastBeatNs = (now - deadline).nanoseconds % total.nanoseconds
        return .nanoseconds(total.nanoseconds - sinceLastBeatNs)
    }
}

extension AnyFlow {
    /// Creates a machine that continues from a snapshot at the present instant. `pendulums` has the next beats of
    /// pendulums by their signals, if the caller knows these beats: the snapshot may have earlier beats, because beats change no
    /// data. `snapshotAt` is the instant since which the timers have run, if they have; marks that they passed since then fire.
    package func machine(
        continuing snapshot: MachineRecord, on timerQueue: TimerQueue, _ queue: EventQueue,
        observer: any MachineObserver, pendulums: [String: Downtime.NextBeat] = [:],
        snapshotAt: Instant? = nil, isDryRun: Bool = false
    ) throws(Reason) -> AnyMachine {
        let machine = machine(
            on: timerQueue, queue, observer: observer, isDryRun: isDryRun)
        // The daemon was not down, so no time is subtracted from the timers, and no timer starts again. `queueIsEmpty` is about
        // the timer queue, which may have timers of other machines.
        let downtime = Downtime(
            since: timerQueue.now, pendulums: pendulums, earlierDowntime: .zero, restartedAt: nil,
            snapshotAt: snapshotAt)
        var timers: [RestoredTimer] = []
        try machine.restore(snapshot, after: downtime, adding: &timers)
        RestoredTimer.set(timers, on: timerQueue, queueIsEmpty: false)
        return machine
    }
}
