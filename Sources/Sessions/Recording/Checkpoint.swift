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
    let lastRefusal: Int
    /// The machine, as an undo of the call restores it.
    let point: UndoPoint

    init(_ session: Session, firing: Firing? = nil) {
        let machine = session.machine
        (change, lastRefusal) = (session.last, session.lastRefusal)
        (flow, notes) = (machine.flow, session.notes)
        point = UndoPoint(machine, firing: firing, at: session.sessions.now)
    }

    /// The next deadline of each running pendulum, by its signal. The store does not know them, because beats
    /// have no rows. The pendulum whose signal is being handled already has its next deadline and another number in
    /// the order of setting; it gets back those with which it has to fire again.
    var pendulums: [String: Downtime.Pendulum] {
        var due: [String: Downtime.Pendulum] = [:]
        for timer in point.timers where timer.info.isPendulum {
            guard let deadline = timer.info.deadline else { continue }
            due[timer.fires] =
                if let firing = point.firing, firing.tag == timer.info.tag {
                    Downtime.Pendulum(due: firing.deadline, order: firing.order)
                } else {
                    Downtime.Pendulum(due: deadline, order: timer.info.order)
                }
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
