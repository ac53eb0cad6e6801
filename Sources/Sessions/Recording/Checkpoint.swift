internal import GameFlow
internal import Timers

/// The positions of a session's rows in the journal, and the number of its requests with an id.
struct Checkpoint {
    /// The session's newest row.
    var mark = JournalPosition.start
    /// The newest row that contains the session's state, and the session's first row.
    var state = 0
    var began = 0
    /// The number of accepted requests with an id.
    var ids = 0
}

/// The values of a session with a store or with refusals: its newest refusal, its newest row and its newest
/// durable row.
final class SessionExtras {
    var lastRefusal = 0
    var written = Checkpoint()
    var durable: Checkpoint?
}

/// A session before a call changed it. It is shown while the store cannot record the change.
struct PriorState {
    let change: Change?
    let flow: AnyFlow
    let notes: SessionNotes?
    let place: StateRecord
    let timers: [LiveTimer]
    let deferred: Int
    let waiting: [MachineSnapshot.Deferred]
    let lastRefusal: Int
    /// The timer whose signal the call is about to handle, and the number of periods that it missed.
    private let firing: (tag: UInt8, missed: Int)?

    init(_ session: Session, firing: (tag: UInt8, missed: Int)? = nil) {
        self.firing = firing
        let machine = session.machine
        (change, lastRefusal) = (session.last, session.lastRefusal)
        (flow, notes) = (machine.flow, session.notes)
        (place, timers, deferred) = (machine.place, machine.liveTimers, machine.deferredCount)
        waiting = deferred == 0 ? [] : machine.snapshot.waiting
    }

    /// What each timer had left at an instant. A countdown whose signal the call handles has fired: it is kept with
    /// nothing left, and paused, so that it does not fire again at once.
    func undoTimers(at now: Instant) -> [UndoTimer] {
        let live = timers.map { timer in
            let info = timer.info
            return UndoTimer(
                fires: timer.fires, total: info.total,
                remaining: info.isPendulum ? info.untilNextBeat(at: now) : info.remaining,
                isPaused: info.isPaused)
        }
        guard let firing, !timers.contains(where: { $0.info.tag == firing.tag }) else {
            return live
        }
        let fired = UndoTimer(
            fires: flow.signalName(firing.tag), total: nil, remaining: .zero, isPaused: true)
        return live + [fired]
    }

    /// The next deadline of each running pendulum, by its signal. The store does not know them, because beats
    /// have no rows. The pendulum whose signal is being handled already has its next deadline; this goes back
    /// to the one that has to fire again.
    var pendulums: [String: Downtime.Pendulum] {
        var due: [String: Downtime.Pendulum] = [:]
        for timer in timers where timer.info.isPendulum {
            guard let deadline = timer.info.deadline else { continue }
            let isFiring = firing?.tag == timer.info.tag
            let beats = isFiring ? Int64(firing?.missed ?? 0) + 1 : 0
            let period = timer.info.total.nanoseconds
            let back = period.multipliedReportingOverflow(by: beats)
            due[timer.fires] = Downtime.Pendulum(
                due: back.overflow ? deadline : deadline + .nanoseconds(-back.partialValue),
                order: timer.info.order)
        }
        return due
    }
}

/// A row that is not yet known to be durable.
struct UncommittedRow {
    /// The row's session; nil for the daemon's own rows.
    let session: Session?
    let standing: Checkpoint
    /// The instant at which the row was written.
    let at: Instant
    /// The change that the row records; nil for any other row.
    let change: Change?
    /// The request id that the row added to the idempotency cache.
    let id: String?
    /// The session before the call that wrote the row; set only for the session's first row in the call.
    var before: PriorState?
    /// The answers that the call removed from the idempotency cache, such as those of a closed session.
    var forgotten: [IdempotencyCache.Forgotten] = []
    /// The watchers by name of a session that the row closed.
    var watchers = WatcherList()
    /// Whether the row records a start of the daemon.
    var isStart = false
    /// The text of a flow that the row contains, and the flow's name.
    var flowText: (name: String, source: FlowSource)?
    /// Whether the row says what became of outputs.
    var isDelivery = false
    /// Whether the row, which is of no session, is the result of a request.
    var isCommand: Bool { !isStart && flowText == nil && !isDelivery }
    /// The quarantined session that the row gives up, and the reason of its quarantine.
    var givenUp: (name: SessionName, why: String)?

    init(
        session: Session?, _ standing: Checkpoint, at instant: Instant, change: Change? = nil,
        id: String? = nil
    ) {
        (self.session, self.standing, at) = (session, standing, instant)
        (self.change, self.id) = (change, id)
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
