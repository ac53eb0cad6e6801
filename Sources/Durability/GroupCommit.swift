public import Journal
public import Sessions
package import Timers

/// Makes changes durable before their results and notifications are sent.
///
/// Changes are applied immediately and collected in a batch. At the end of each turn of the loop
/// the batch is passed to the store, which reports its outcome later. Use it on the loop's thread
/// only.
public final class GroupCommit {
    public let sessions: Sessions
    let store: any Store
    /// The format in which rows are written. Other nodes may read them, so the store's owner sets it.
    @exclusivity(unchecked) public var format: RowFormat
    /// The rows since the last `flush`.
    @exclusivity(unchecked) private var batch: [JournalRow] = []
    private let encoder = RowEncoder()
    /// Holds the timers while the storage is out, retries the storage, and reports failures and recoveries.
    public weak var delegate: (any GroupCommitDelegate)?
    /// The clients whose output waits for rows.
    public weak var clients: (any GroupCommitClients)?
    /// The sessions whose opening was undone, because it was not durable when the storage failed.
    private var undoneOpenings: [Sessions.UndoneOpening] = []
    private(set) var phase = Phase.up
    /// The newest durable row. After a failure the store keeps this row and all rows before it.
    private var newestDurableRow: JournalPosition
    /// Whether the present failure of the storage was reported; false again after a recovery or the next durable row.
    private var isOutageReported = false
    /// Whether the store is reopened without a pause after the next failure. False if the store has failed and no row became
    /// durable since.
    private var mayRecoverAtOnce = true

    /// The limit `uncommitted`: while more rows than this are not durable, the daemon accepts no further input.
    public static let uncommittedLimit = 4096

    /// How many history queries may wait for the store. A further query is refused.
    public static let queryLimit = 16
    /// The number of history queries that wait for the store.
    var waitingQueries = 0

    /// The condition of the storage.
    enum Phase {
        case up
        /// The store failed and is being reopened.
        case recovering
        /// Reopening failed; it is retried.
        case out
        /// Ended: nothing more is passed to the store.
        case ended
    }

    /// The outcome of the rows that clients wait for.
    public enum Outcome: Sendable {
        /// All rows up to `sessions.durableRow` are durable.
        case durable
        /// Rows after `sessions.durableRow` were rolled back. Everything that waits for them is answered with this error.
        case failed(RequestError)
        /// The storage works again, and the sessions accept events.
        case recovered
    }

    /// The clock by which the commits are timed; by default that of the sessions.
    package var clock: TimerQueue

    /// Stores the records of these sessions from now on; `newest` is the position of the newest row of the store. Stores nothing
    /// if the store keeps no rows: the changes then count as durable at once.
    public init(
        _ sessions: Sessions, in store: any Store, newest: JournalPosition = .start,
        format: RowFormat = .newest
    ) {
        (self.sessions, self.store, self.format) = (sessions, store, format)
        clock = sessions.clock.timerQueue
        newestDurableRow = newest
        guard store.keepsRows else { return }
        // Called when the store fails on its own, while no batch waits.
        // The store of a lost shard outlives this object.
        store.onFailure = { [weak self] why in if let self, phase == .up { fail(why) } }
        sessions.recorder = { [unowned self] record, previous in add(record, after: previous) }
    }

    /// Whether no further input should be accepted. True if too many rows are not durable, or if this process may not act as
    /// the owner of the store at this moment.
    public var isFull: Bool { sessions.uncommittedRows > Self.uncommittedLimit || !mayServe() }

    /// Returns whether this process may answer requests at this moment. By default it always may, because it does not share the
    /// store.
    public var mayServe: () -> Bool = { true }

    /// Whether all rows are durable.
    public var isIdle: Bool { phase == .up && sessions.uncommittedRows == 0 }

    /// Adds a record to the batch as a row; `previous` is the position of its session's previous row. Returns the position of
    /// the new row.
    private func add(_ record: borrowing SessionRecord, after previous: JournalPosition)
        -> JournalPosition
    {
        let row = encoder.row(
            record, at: sessions.newestRow + 1, after: previous, in: format)
        if batch.isEmpty { clients?.rowsWereCollected() }
        let position = row.journalPosition
        batch.append(row)
        return position
    }

    /// Passes the collected rows to the store as one batch. All rows of one request are in the same batch, and so are all rows
    /// of one timer's firing. So these rows are stored together or not at all.
    public func flush() {
        guard !batch.isEmpty, phase == .up else { return }
        let rows = exchange(&batch, with: [])
        let last = rows[rows.count - 1].journalPosition
        // `self` is weak: a node that loses a shard releases this object before the store has reported the outcomes.
        let start = clock.now
        store.append(rows) { [weak self] outcome in
            self?.finish(outcome, upTo: last, rows.count, since: start)
        }
    }

    /// Handles the outcome of a batch of `count` rows, whose last one is at `last` and which was passed to the store at `start`.
    private func finish(
        _ outcome: StoreOutcome, upTo last: JournalPosition, _ count: Int, since start: Instant
    ) {
        switch outcome {
        case .durable:
            sessions.counts.countCommit(
                of: count, clock.now.nanoseconds &- start.nanoseconds)
            newestDurableRow = last
            mayRecoverAtOnce = true
            if exchange(&isOutageReported, with: false) {
                report(storageWorks: true, "the storage works again")
            }
            sessions.rowsBecameDurable(upTo: last.position)
            clients?.storeOutcomeArrived(.durable)
        case .lost(let why), .unknown(let why):
            // Batches that were sent after this batch fail too, but the failure is handled only once.
            if phase == .up { fail(why) }
        }
    }

    /// Passes the remaining rows to the store. Later rows are not passed, because the store is about to
    /// be closed.
    public func end() {
        delegate?.holdTimers(true)
        flush()
        phase = .ended
    }

    // MARK: failure

    /// Treats all changes that are not durable as undone. The store may nevertheless have written rows of these changes. It
    /// removes the rows when it is reopened; only then are the changes certainly undone. `why` is the reason of the failure.
    private func fail(_ why: String) {
        batch = []
        phase = .recovering
        reportOutage(
            "the storage failed: \(why); changes that were not acknowledged are being undone")
        delegate?.holdTimers(true)
        undoneOpenings += sessions.storageFailed(why)
        // A store that can be opened but not written to is retried after a pause.
        if exchange(&mayRecoverAtOnce, with: false) {
            recover(why)
        } else {
            delegate?.retry { [weak self] in self?.recover(why) }
        }
    }

    private func report(storageWorks: Bool, _ sentence: String) {
        delegate?.report(storageWorks: storageWorks, sentence)
    }

    /// Reports the failure once, until a row becomes durable again. Repeated reports would fill the log, which is often on
    /// the same full disk.
    private func reportOutage(_ sentence: String) {
        if !exchange(&isOutageReported, with: true) { report(storageWorks: false, sentence) }
    }

    /// Reopens the store. `why` is the reason of the original failure.
    private func recover(_ why: String) {
        guard phase != .ended else { return }
        store.recover(keeping: newestDurableRow) { [weak self] failure in
            guard let self else { return }
            if let failure { remainOut(why, failure) } else { readSessions(why) }
        }
    }

    /// Reads the newest rows of the sessions whose present state was not durable, to restore these sessions as at a start.
    private func readSessions(_ why: String) {
        let names = sessions.suspendedSessions.map(\.text)
        guard !names.isEmpty else { return resume(why, []) }
        store.newest(of: names) { [weak self] result in
            guard let self else { return }
            switch result {
            case .failure(let error): remainOut(why, error.why)
            case .success(let rows):
                let records = rows.compactMap { newestRow in
                    (try? newestRow.row.record()).map {
                        ($0, Checkpoint($0, newestRow: newestRow.newestPosition))
                    }
                }
                resume(why, records)
            }
        }
    }

    /// Continues after the store was reopened. `why` is the reason of the original failure. `records` are the suspended sessions,
    /// as they are stored.
    private func resume(_ why: String, _ records: [(SessionRecord, Checkpoint)]) {
        guard phase != .ended else { return }
        let wasOut = phase == .out
        phase = .up
        if wasOut {
            isOutageReported = false
            report(storageWorks: true, "the storage works again")
        }
        sessions.storageIsBack(records)
        delegate?.storageIsBack(undone: exchange(&undoneOpenings, with: []))
        // If the storage was out, `remainOut` has already answered what waited for the rows.
        if !wasOut {
            clients?.storeOutcomeArrived(.failed(.storage(why: why, outcome: .undone)))
        }
        clients?.storeOutcomeArrived(.recovered)
        delegate?.holdTimers(false)
    }

    /// Retries later, because the store could not be reopened. `why` is the reason of the original failure; `failure` is
    /// the reason why the store could not be reopened.
    private func remainOut(_ why: String, _ failure: String) {
        guard phase != .ended else { return }
        if phase == .recovering {
            isOutageReported = false
            reportOutage(
                "the storage is out: \(failure); no change is accepted until it works again")
            clients?.storeOutcomeArrived(.failed(.storage(why: why, outcome: .unknown)))
        }
        phase = .out
        delegate?.retry { [weak self] in self?.recover(why) }
    }
}

/// What a `GroupCommit` requires of its owner. Called on the loop's thread.
public protocol GroupCommitDelegate: AnyObject {
    /// Stops the sessions' timers, or resumes them.
    func holdTimers(_ isHeld: Bool)
    /// Calls `work` once after a pause; used to reopen a failed store again.
    func retry(_ work: @escaping () -> Void)
    /// Reports to the operator whether the storage works, with a sentence.
    func report(storageWorks: Bool, _ sentence: String)
    /// The storage works again. Called before any further change, with the sessions whose
    /// opening was undone in the meantime.
    func storageIsBack(undone: [Sessions.UndoneOpening])
}

/// The clients whose replies and notifications wait for rows. Called on the loop's thread.
public protocol GroupCommitClients: AnyObject {
    /// Called when more rows are durable, when rows were rolled back, or when the storage works again.
    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome)
    /// Called when the first row since the last `flush` was collected. `flush` must then be called before the loop sleeps. The
    /// default implementation does nothing, for owners that call `flush` in each turn of the loop.
    func rowsWereCollected()
}

extension GroupCommitClients {
    public func rowsWereCollected() {}
}

extension GroupCommit: HistoryStore {
    public func history(
        of session: Session, from position: Sessions.HistoryPosition, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void
    ) {
        guard waitingQueries < Self.queryLimit else {
            return done(.failure(.limit(which: "historyQueries", limit: Self.queryLimit)))
        }
        // The store executes its jobs in order, so the query finds these rows.
        flush()
        // A page of the history contains only changes with a `seq` less than `position.before`. If refusals are recorded,
        // `position.refusal` is the position of a row, and no later row is read.
        let newest = sessions.newestRow(of: session)
        let auditsRefusals = sessions.auditsRefusals
        let start = (auditsRefusals ? position.refusal : nil) ?? newest
        let first = sessions.firstRow(of: session)
        // A position before `first` belongs to an earlier session of that name, whose rows the history does not contain.
        guard first <= start else { return done(.success((records: [], next: nil))) }
        let query = JournalQuery(
            session: session.name.text, positions: first...start,
            beforeSeq: position.before ?? .max,
            kinds: auditsRefusals ? [.change, .refusal] : [.change],
            limit: limit + 1, byteLimit: sessions.limits.historyBytes)
        waitingQueries += 1
        store.find(query) { [weak self] result in
            guard let self else { return }
            waitingQueries -= 1
            switch result {
            case .failure(let error):
                done(.failure(.storage(why: error.why, outcome: .undone)))
            case .success(let page):
                done(
                    .success(
                        sessions.history(
                            of: session, from: position, limit: limit,
                            rows: page.rows.compactMap { try? $0.record() }, isAll: page.isComplete,
                            upTo: newest)))
            }
        }
    }
}
