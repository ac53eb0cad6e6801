public import Journal
public import Sessions

/// Sees to it that what the sessions do is on the disk before anybody hears of it.
///
/// What happens is applied at once, and gathers; at the end of each turn it is handed to the store, which
/// tells later what became of it. Belongs to the loop's thread.
public final class GroupCommit {
    public let sessions: Sessions
    let store: any Store
    private var batch: [JournalRow] = []
    /// Does what a keeper needs and cannot do itself.
    public weak var delegate: (any GroupCommitDelegate)?
    /// Holds back what waits for rows.
    public weak var clients: (any GroupCommitClients)?
    private var undoneOpenings: [Sessions.UndoneOpening] = []
    private(set) var phase = Phase.up
    /// The newest row that is on the disk.
    private var kept: JournalPosition
    /// Whether it was said that the storage failed, and nothing was kept since.
    private var isTold = false
    /// Whether something was kept since the store was opened last.
    private var mayRecover = true

    /// Past so many rows that are not on the disk, nothing more is taken in until it has caught up.
    public static let limit = 4096

    /// How many queries of history may wait for the store at once; another one is refused.
    public static let queryLimit = 16
    /// How many wait now.
    var openQueries = 0

    enum Phase {
        case up
        /// Something failed; everything is being opened anew.
        case recovering
        /// That failed, too, and is tried again.
        case out
        /// Nothing more is handed over.
        case ended
    }

    /// What became of rows.
    public enum Outcome: Sendable {
        /// All up to the sessions' `keptRow` are there.
        case kept
        /// What stood behind it was taken back; who waits for it is told this error.
        case failed(RequestError)
        /// What is sent is taken again.
        case back
    }

    /// Keeps what these sessions do from now on; `newest` is the newest row that there is.
    /// How many transactions the store has committed since the start.
    public var transactions: Int { store.transactions }

    public init(_ sessions: Sessions, in store: any Store, newest: JournalPosition = .start) {
        (self.sessions, self.store) = (sessions, store)
        kept = newest
        store.broke = { [unowned self] why in if phase == .up { fail(why) } }
        sessions.recorder = { [unowned self] record, previous in add(record, after: previous) }
    }

    /// Whether so much waits for the disk that nothing more should be taken in.
    public var isFull: Bool { sessions.uncommitted > Self.limit }

    /// Whether nothing waits for the disk.
    public var isIdle: Bool { phase == .up && sessions.uncommitted == 0 }

    private func add(_ record: SessionRecord, after previous: JournalPosition) -> JournalPosition {
        let row = JournalRow(record, at: sessions.newestRow + 1, after: previous)
        batch.append(row)
        return row.mark
    }

    /// Hands over what has gathered since the last time. All that one call did is in it, or nothing.
    public func flush() {
        guard !batch.isEmpty, phase == .up else { return }
        let rows = exchange(&batch, with: [])
        let last = rows[rows.count - 1].mark
        store.append(rows) { [unowned self] outcome in settle(outcome, upTo: last) }
    }

    private func settle(_ outcome: StoreOutcome, upTo last: JournalPosition) {
        switch outcome {
        case .kept:
            kept = last
            mayRecover = true
            if exchange(&isTold, with: false) { report(true, "the storage works again") }
            sessions.settle(upTo: last.position)
            clients?.settled(.kept)
        case .lost(let why), .unknown(let why):
            // The batches behind it fail with it, and hear of it once.
            if phase == .up { fail(why) }
        }
    }

    /// Hands over what there still is, and nothing after it: the store is about to be closed.
    public func end() {
        delegate?.holdTimers(true)
        flush()
        phase = .ended
    }

    // MARK: failure

    /// Nothing of what is not acknowledged has happened. The store is opened anew, and what may be there of it
    /// all the same is removed; only then is it known to be undone.
    private func fail(_ why: String) {
        batch = []
        phase = .recovering
        tellOutage("the storage failed: \(why); what was not acknowledged is taken back")
        delegate?.holdTimers(true)
        undoneOpenings += sessions.storageFailed(why)
        // One that can be opened and not written to is not tried again and again without a pause.
        if exchange(&mayRecover, with: false) {
            recover(why)
        } else {
            delegate?.retry { [weak self] in self?.recover(why) }
        }
    }

    private func report(_ works: Bool, _ sentence: String) {
        delegate?.report(storageWorks: works, sentence)
    }

    /// Once, until something is kept again: a disk that is full is often one that takes the log.
    private func tellOutage(_ sentence: String) {
        if !exchange(&isTold, with: true) { report(false, sentence) }
    }

    private func recover(_ why: String) {
        guard phase != .ended else { return }
        store.recover(keeping: kept) { [unowned self] failure in
            if let failure { stayOut(why, failure) } else { readSessions(why) }
        }
    }

    /// Reads the sessions whose present state was not durable: they are restored as at a start.
    private func readSessions(_ why: String) {
        let names = sessions.frozenSessions.map(\.text)
        guard !names.isEmpty else { return goOn(why, []) }
        store.newest(of: names) { [unowned self] result in
            switch result {
            case .failure(let error): stayOut(why, error.why)
            case .success(let rows):
                let written = rows.compactMap { newest in
                    (try? newest.row.record()).map { WrittenSession($0, newest.mark) }
                }
                goOn(why, written)
            }
        }
    }

    private func goOn(_ why: String, _ rows: [WrittenSession]) {
        guard phase != .ended else { return }
        let wasTold = phase == .out
        phase = .up
        if wasTold {
            isTold = false
            report(true, "the storage works again")
        }
        sessions.storageIsBack(rows)
        delegate?.storageIsBack(undone: exchange(&undoneOpenings, with: []))
        if !wasTold { clients?.settled(.failed(.storage(why: why, outcome: .undone))) }
        clients?.settled(.back)
        delegate?.holdTimers(false)
    }

    private func stayOut(_ why: String, _ failure: String) {
        guard phase != .ended else { return }
        if phase == .recovering {
            isTold = false
            tellOutage("the storage is out: \(failure); nothing changes until it is back")
            clients?.settled(.failed(.storage(why: why, outcome: .unknown)))
        }
        phase = .out
        delegate?.retry { [weak self] in self?.recover(why) }
    }
}
