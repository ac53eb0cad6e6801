internal import GameFlow
internal import Timers

/// Where a session's rows are in the journal, and how many of its requests had an id.
struct Checkpoint {
    /// The session's newest row.
    var mark = JournalPosition.start
    /// The newest row that says how the session is, and the session's first row.
    var state = 0
    var began = 0
    /// How many requests with an id were taken.
    var ids = 0
}

/// What a session has that was refused an event, or that has a store: its newest row, and its newest durable row.
final class SessionExtras {
    var lastRefusal = 0
    var written = Checkpoint()
    var kept: Checkpoint?
}

/// A session as it was before a call changed it: what is shown of it while the store cannot keep the change.
struct PriorState {
    let change: Change?
    let place: StateRecord
    let timers: [LiveTimer]
    let deferred: Int
    let lastRefusal: Int
    /// The timer whose signal the call is about to handle, and how many of its beats were skipped.
    private let firing: (tag: UInt8, missed: Int)?

    init(_ session: Session, firing: (tag: UInt8, missed: Int)? = nil) {
        self.firing = firing
        let machine = session.machine
        (change, lastRefusal) = (session.last, session.lastRefusal)
        (place, timers, deferred) = (machine.place, machine.liveTimers, machine.deferredCount)
    }

    /// When each running pendulum is due next, by its signal: beats have no rows, so the store does not know. The next
    /// beat of the one that fires is set already; the one that fires has to fire again.
    var pendulums: [String: Instant] {
        var due: [String: Instant] = [:]
        for timer in timers where timer.info.isPendulum {
            guard let deadline = timer.info.deadline else { continue }
            let isFiring = firing?.tag == timer.info.tag
            let beats = isFiring ? Int64(firing?.missed ?? 0) + 1 : 0
            let period = timer.info.total.nanoseconds
            let back = period.multipliedReportingOverflow(by: beats)
            due[timer.fires] =
                back.overflow ? deadline : deadline + .nanoseconds(-back.partialValue)
        }
        return due
    }
}

/// A row of which it is not known yet whether it is durable.
struct UncommittedRow {
    /// Nil where it is the daemon's own.
    let session: Session?
    let standing: Checkpoint
    /// When it was written.
    let at: Instant
    /// The change that it is of, which has a position of its own; nil of any other row.
    let change: Change?
    /// The id that it made remembered.
    let id: String?
    /// The session before the call that wrote the row; only the first row of a session in a call has it.
    var before: PriorState?
    /// The answers that were forgotten with it: those of a session that was closed.
    var forgotten: [IdempotencyCache.Forgotten] = []
    /// Who watched a session that was closed.
    var watchers = WatcherList()
    /// Whether it is the daemon's beginning.
    var isStart = false
    /// The session that was given up, and what was wrong with it.
    var givenUp: (name: SessionName, why: String)?

    init(
        session: Session?, _ standing: Checkpoint, at instant: Instant, change: Change? = nil,
        id: String? = nil
    ) {
        (self.session, self.standing, at) = (session, standing, instant)
        (self.change, self.id) = (change, id)
    }
}
