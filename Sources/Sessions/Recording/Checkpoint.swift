internal import GameFlow
internal import Timers

/// Where a session's rows are in the journal, and how many requests with an id the session has accepted. The rows are the
/// newest row, the newest row with the whole state, and the first row.
struct Checkpoint {
    /// The session's newest row.
    var newestRow = JournalPosition.start
    /// The position of the newest row that contains the session's state.
    var stateRow = 0
    /// The position of the session's first row.
    var firstRow = 0
    /// The number of accepted requests with an id.
    var requestIDCount = 0
}

/// The values that only a session with a store or with refusals has: its newest refusal, and its checkpoints.
final class SessionExtras {
    /// The number of the newest refusal; 0 before the first.
    var lastRefusal = 0
    /// The checkpoint of the session's newest row.
    var newestCheckpoint = Checkpoint()
    /// The checkpoint of the session's newest durable row; nil if no row of the session is durable yet.
    var durableCheckpoint: Checkpoint?
    /// See `Session.undoFloor`.
    var undoFloor = 0
}

/// A session before a call changed it. Clients see this state while the store cannot record the change.
struct PriorState {
    /// The session's newest change; nil before the opening.
    let change: Change?
    let flow: AnyFlow
    let notes: SessionNotes?
    let enteredAt: Instant?
    let lastRefusal: Int
    let place: StateRecord
    /// The timers and the deferred events.
    let undoPoint: UndoPoint
    /// The firing that the call handles; nil if it handles none.
    private let firing: Firing?
    /// The instant of the call.
    private let at: Instant

    /// Describes the session as it is now. `firing` is the firing that the call handles; nil if it handles none.
    init(_ session: Session, firing: Firing? = nil) {
        let machine = session.machine
        (change, lastRefusal) = (session.last, session.lastRefusal)
        (flow, notes, enteredAt) = (machine.flow, session.notes, session.enteredAt)
        place = machine.place
        undoPoint = UndoPoint(machine, firing: firing)
        (self.firing, at) = (firing, session.sessions.now)
    }

    /// The running and paused timers.
    var timers: [LiveTimer] {
        undoPoint.timers.timers.map { timer in
            LiveTimer(fires: flow.signalName(timer.tag), info: timer.info(at: at))
        }
    }

    /// The next deadline of each running pendulum, by its signal. The store does not know the deadlines, because
    /// beats have no rows. If the call handles a pendulum's signal, that pendulum already has its next deadline and a new
    /// order number. Its old deadline and order number are returned instead, so that it fires again.
    var pendulums: [String: Downtime.NextBeat] {
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
}

/// A row that is not yet known to be durable.
struct UncommittedRow {
    /// The row's session; nil for the daemon's own rows.
    let session: Session?
    /// The session's checkpoint after the row. For a row of the daemon itself, it contains only the row's position.
    let checkpoint: Checkpoint
    /// The instant at which the row was written.
    let at: Instant
    /// The change that the row records; nil for any other row.
    let change: Change?
    /// The id of the request that the row records; the answer to the request is in the idempotency cache.
    let id: String?
    /// The session before the call that wrote the row. Set only for the first row that the call wrote for this session; nil for
    /// any other row.
    var priorState: PriorState?
    /// The answers that the call removed from the idempotency cache. For example, the closing of a session removes the
    /// session's answers.
    var removedAnswers: [IdempotencyCache.RemovedAnswer] = []
    /// The watchers that watched the session by name, if the row closed it.
    var watchers = WatcherList()
    /// Whether the row records a start of the daemon.
    var isStart = false
    /// The text of a flow that the row contains, and the flow's name.
    var flowText: (name: String, source: FlowSource)?
    /// Whether the row records outcomes of outputs.
    var isDelivery = false
    /// For a row that belongs to no session: whether the row records a request. Two requests have such a row: to move the
    /// virtual clock, and to give up a quarantined session.
    var isCommand: Bool { !isStart && flowText == nil && !isDelivery }
    /// The quarantined session that the row gives up, and the reason of its quarantine.
    var endedQuarantine: (name: SessionName, why: String)?

    init(
        session: Session?, _ checkpoint: Checkpoint, at instant: Instant, change: Change? = nil,
        id: String? = nil
    ) {
        (self.session, self.checkpoint, at) = (session, checkpoint, instant)
        (self.change, self.id) = (change, id)
    }
}
