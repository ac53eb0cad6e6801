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
    var before: SessionState?
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
