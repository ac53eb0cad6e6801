public import Timers

/// A machine before a step, as an undo restores it: its state and data, what each timer had left, and its deferred
/// events.
public struct UndoPoint: Sendable {
    public let place: StateRecord
    private let timers: [UndoTimer]
    private let waiting: [MachineSnapshot.Deferred]

    /// What a timer had left.
    private struct UndoTimer {
        let fires: String
        /// Nil for a countdown that had fired: it has nothing left.
        let total: Duration?
        let remaining: Duration
        let isPaused: Bool
    }

    /// The machine with the state `place`, the running and paused timers `timers` and the deferred events `waiting`.
    /// `firing` is the timer whose signal the step handles, if it does. A countdown that fires is kept with nothing
    /// left, and paused, so that it does not fire again at once.
    public init(
        _ place: StateRecord, _ timers: [LiveTimer], _ waiting: [MachineSnapshot.Deferred],
        firing: Firing?, of flow: AnyFlow, at now: Instant
    ) {
        (self.place, self.waiting) = (place, waiting)
        let live = timers.map { timer in
            let info = timer.info
            return UndoTimer(
                fires: timer.fires, total: info.total,
                remaining: info.isPendulum ? info.untilNextBeat(at: now) : info.remaining,
                isPaused: info.isPaused)
        }
        guard let firing, !timers.contains(where: { $0.info.tag == firing.tag }) else {
            self.timers = live
            return
        }
        let fired = UndoTimer(
            fires: flow.signalName(firing.tag), total: nil, remaining: .zero, isPaused: true)
        self.timers = live + [fired]
    }

    /// The machine as it is now.
    public init(_ machine: AnyMachine, firing: Firing?, at now: Instant) {
        self.init(
            machine.place, machine.liveTimers,
            machine.deferredCount == 0 ? [] : machine.snapshot.waiting, firing: firing,
            of: machine.flow, at: now)
    }

    /// Returns the snapshot from which a machine of the flow continues at the instant `now`.
    public func snapshot(of flow: AnyFlow, at now: Instant) -> MachineSnapshot {
        let timers = timers.enumerated().map { order, timer in
            TimerRecord(
                fires: timer.fires,
                total: timer.total ?? flow.total(of: timer.fires, in: place) ?? .zero,
                standing: timer.isPaused
                    ? .paused(remaining: timer.remaining)
                    : .running(until: now + timer.remaining), order: UInt64(order))
        }
        return MachineSnapshot(place: place, timers: timers, waiting: waiting)
    }
}

extension TimerInfo {
    /// The time until a pendulum's next beat. Beats that are overdue at `now` do not count: the grid of the beats does
    /// not depend on how many of them were made already.
    fileprivate func untilNextBeat(at now: Instant) -> Duration {
        guard let deadline, deadline <= now, total > .zero else { return remaining }
        let late = (now - deadline).nanoseconds % total.nanoseconds
        return .nanoseconds(total.nanoseconds - late)
    }
}

extension AnyFlow {
    /// Creates a machine that continues from a snapshot at the present instant, with timers that run on from there.
    /// `pendulums` are the pendulums whose next beats are known better than from the snapshot.
    public func machine(
        continuing snapshot: MachineSnapshot, on timerQueue: TimerQueue, _ queue: EventQueue,
        observer: any MachineObserver, pendulums: [String: Downtime.Pendulum] = [:],
        isRehearsal: Bool = false
    ) throws(Reason) -> AnyMachine {
        let machine = machine(
            on: timerQueue, queue, observer: observer, isRehearsal: isRehearsal)
        let pause = Downtime(
            since: timerQueue.now, pendulums: pendulums, pausedTime: .zero, restartedAt: nil)
        var timers: [RestoredTimer] = []
        try machine.restore(snapshot, after: pause, adding: &timers)
        RestoredTimer.set(timers, on: timerQueue, isAll: false)
        return machine
    }
}
