public import Timers

/// What a machine had before a step besides its state, for an undo: its timers and its deferred events. The step itself has the
/// state before it.
///
/// An undo point is made before each step, and few undo points are used. To be cheap, an undo point holds only values that are
/// read from the machine; `snapshot` converts them to a `MachineSnapshot` when the undo point is used.
public struct UndoPoint: Sendable {
    /// The running and paused timers.
    public let timers: GroupReading
    /// The number by which the machine knows the timer whose signal the step handles; nil if the step handles no signal.
    private let firedTag: UInt8?
    /// The deferred events, oldest first.
    public let waiting: [MachineSnapshot.Deferred]

    /// Describes the machine as it is now. `firing` is the firing of the timer whose signal the step handles.
    public init(_ machine: AnyMachine, firing: Firing?) {
        timers = machine.timerReading
        waiting = machine.deferredCount == 0 ? [] : machine.snapshot.waiting
        firedTag = firing?.tag
    }

    /// Returns the snapshot from which a new machine of `flow` continues at the instant `now`, in the state `place` that the
    /// machine had at the instant `madeAt`, when the undo point was made. Its timers have the remaining times that they had
    /// then.
    public func snapshot(
        of place: StateRecord, madeAt: Instant, for flow: AnyFlow, at now: Instant
    ) -> MachineSnapshot {
        let timers = timers.timers
        var records: [TimerRecord] = []
        for timer in timers {
            let info = timer.info(at: madeAt)
            let remaining = info.isPendulum ? info.timeUntilNextBeat(at: madeAt) : info.remaining
            records.append(
                TimerRecord(
                    fires: flow.signalName(info.tag), total: info.total,
                    state: info.isPaused
                        ? .paused(remaining: remaining) : .running(until: now + remaining),
                    order: UInt64(records.count)))
        }
        // If the step handled the signal of a countdown, the countdown has fired and is not among `timers`. This countdown is
        // recorded as paused with no time left, so that it does not fire again at once. A timer's tag is the raw value of its
        // signal.
        if let firedTag, !timers.contains(where: { $0.tag == firedTag }) {
            let fires = flow.signalName(firedTag)
            records.append(
                TimerRecord(
                    fires: fires, total: flow.total(of: fires, in: place) ?? .zero,
                    state: .paused(remaining: .zero), order: UInt64(records.count)))
        }
        return MachineSnapshot(place: place, timers: records, waiting: waiting)
    }
}

extension TimerInfo {
    /// Returns the time from `now` until a pendulum's next beat. Beats that are overdue at `now` are skipped, because the
    /// instants of the later beats do not depend on them.
    fileprivate func timeUntilNextBeat(at now: Instant) -> Duration {
        guard let deadline, deadline <= now, total > .zero else { return remaining }
        let sinceLastBeatNs = (now - deadline).nanoseconds % total.nanoseconds
        return .nanoseconds(total.nanoseconds - sinceLastBeatNs)
    }
}

extension AnyFlow {
    /// Creates a machine that continues from a snapshot at the present instant. `pendulums` has the next beats of
    /// pendulums by their signals, if the caller knows these beats: the snapshot may have earlier beats, because beats change no
    /// data.
    public func machine(
        continuing snapshot: MachineSnapshot, on timerQueue: TimerQueue, _ queue: EventQueue,
        observer: any MachineObserver, pendulums: [String: Downtime.NextBeat] = [:],
        isDryRun: Bool = false
    ) throws(Reason) -> AnyMachine {
        let machine = machine(
            on: timerQueue, queue, observer: observer, isDryRun: isDryRun)
        // The daemon was not down, so no time is subtracted from the timers, and no timer starts again. `queueIsEmpty` is about
        // the timer queue, which may have timers of other machines.
        let downtime = Downtime(
            since: timerQueue.now, pendulums: pendulums, earlierDowntime: .zero, restartedAt: nil)
        var timers: [RestoredTimer] = []
        try machine.restore(snapshot, after: downtime, adding: &timers)
        RestoredTimer.set(timers, on: timerQueue, queueIsEmpty: false)
        return machine
    }
}
