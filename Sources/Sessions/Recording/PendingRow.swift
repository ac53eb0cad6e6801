internal import GameFlow
internal import Timers

/// A row that is not known to be durable yet, with what the sessions need when it becomes durable or when the store fails.
struct PendingRow {
    let position: JournalPosition
    /// The instant at which the row was written.
    let at: Instant
    let content: Content
    /// The answers that the row's call removed from the idempotency cache. For example, the closing of a session removes the
    /// session's answers.
    var removedAnswers: [IdempotencyCache.RemovedAnswer] = []

    /// Rows of the other kinds than `ofSession` are rare, so what they need is allocated separately.
    enum Content {
        case ofSession(SessionRow)
        case start
        indirect case flowText(FlowCatalog.VersionKey)
        /// A request moved the virtual clock.
        case advance
        /// A request gave up a quarantined session. The row is not part of the chain of the daemon's own rows.
        indirect case quarantineEnd(Sessions.QuarantineError)
        /// The outcomes of outputs, or a correction of the clock.
        case note
    }

    /// The row of a change, of an answer or of a refusal. A class, so that a pending row refers to it by one reference while it is
    /// moved into the queue and out of it.
    final class SessionRow {
        let session: Session
        /// The session's checkpoint after the row.
        let checkpoint: Checkpoint
        /// The change that the row records; nil for any other row.
        let change: Change?
        /// The id of the request that the row records; the answer to the request is in the idempotency cache.
        let id: String?
        /// The session before the call that wrote the row. Set only for the first row that the call wrote for this session; nil
        /// for any other row.
        let before: SessionState?
        /// The watchers that watched the session by name, if the row closed it.
        let watchers: WatcherList
        /// In the row of a refusal, the number of refusals that are missing in the journal without the row; otherwise 0.
        let refusals: Int

        init(
            _ session: Session, _ checkpoint: Checkpoint, _ change: Change?, id: String?,
            before: SessionState?, _ watchers: WatcherList, refusals: Int
        ) {
            (self.session, self.checkpoint, self.change) = (session, checkpoint, change)
            (self.id, self.before, self.watchers) = (id, before, watchers)
            self.refusals = refusals
        }
    }

    init(
        _ content: Content, _ position: JournalPosition, at instant: Instant,
        removedAnswers: [IdempotencyCache.RemovedAnswer] = []
    ) {
        (self.content, self.position, at) = (content, position, instant)
        self.removedAnswers = removedAnswers
    }

    /// The change that the row records; nil for any other row.
    var change: Change? {
        if case .ofSession(let row) = content { row.change } else { nil }
    }

    /// The session whose row it is; nil for any other row.
    var session: Session? {
        if case .ofSession(let row) = content { row.session } else { nil }
    }
}
