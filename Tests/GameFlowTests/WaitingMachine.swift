import GameFlow
import TestSupport
import Timers

/// A machine on a virtual clock whose firings wait until the test handles them, as those of a machine wait whose changes are
/// saved one after the other.
final class WaitingMachine: MachineObserver {
    let time: VirtualClock
    private let flow: AnyFlow
    private(set) var machine: AnyMachine!
    /// The firings that wait and belong to the present visit of the state, oldest first.
    private(set) var waiting: [Firing] = []

    init(_ flow: AnyFlow) throws {
        (self.flow, time) = (flow, VirtualClock())
        machine = flow.machine(on: time.timerQueue, EventQueue(), observer: self)
        try machine.open(nil, [], from: .tester)
    }

    /// Restores a machine from the snapshot of another at the same instant. If it `wasDown`, the daemon was restarted then.
    init(restoring other: WaitingMachine, wasDown: Bool) throws {
        (flow, time) = (other.flow, VirtualClock(startingAt: other.time.now))
        machine = flow.machine(on: time.timerQueue, EventQueue(), observer: self)
        let snapshot = other.machine.snapshot(before: other.waiting)
        let downtime =
            wasDown
            ? Downtime(lastAlive: time.now, snapshotAt: time.now)
            : Downtime(
                since: time.now, pendulums: other.machine.nextBeats(in: snapshot),
                earlierDowntime: .zero, restartedAt: nil, snapshotAt: time.now)
        var timers: [RestoredTimer] = []
        try machine.restore(snapshot, after: downtime, adding: &timers)
        RestoredTimer.set(timers, on: time.timerQueue, queueIsEmpty: true)
        time.fireDueTimers()
    }

    deinit { machine.end() }

    /// Handles the firing that waits longest.
    func handle() {
        guard !waiting.isEmpty else { return }
        try? machine.take(waiting.removeFirst())
    }

    /// Sends an event; returns whether it was accepted.
    func send(_ event: String) -> Bool {
        do throws(Reason) {
            // A transition back can set a timer that is overdue.
            defer { time.fireDueTimers() }
            try machine.send(flow.event(event), [], from: .tester)
            return true
        } catch { return false }
    }

    /// Operates a timer; returns whether this changed anything.
    func operate(_ operation: TimerOperation) -> Bool {
        do throws(TimerOperation.OperationError) {
            defer { time.fireDueTimers() }
            return try machine.operate(operation)
        } catch { return false }
    }

    func due(_ firing: Firing, of machine: AnyMachine) { waiting.append(firing) }

    func completed(_ step: consuming Step) { if step.kind.isEntry { waiting = [] } }

    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}

    /// The state, the firings that wait, and the timers, as text.
    var summary: [String] {
        ["\(machine.place)", "\(machine.moments.map(\.place))"]
            + waiting.map { "waits \(flow.signalName($0.tag)) since \($0.deadline)" }
            + machine.liveTimers.map { timer in
                let info = timer.info
                return "\(timer.fires) \(info.kind) \(info.remaining) of \(info.total)"
                    + (info.isPaused ? " paused" : "") + (info.isInOvertime ? " fired" : "")
                    + (info.mark?.canFire == false ? " silent" : "")
            }
    }
}
