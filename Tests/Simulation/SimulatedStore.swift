import Journal
import Sessions
import TestSupport

/// A store in memory whose commits are delayed. A commit may fail, and yet its rows may be written. Recoveries may fail, too.
/// A crash keeps the committed rows and a random number of the oldest pending batches.
final class SimulatedStore: MemoryStore, StoredRows {
    private(set) var journal = JournalReader()
    /// The position of the newest row that the store has reported as durable.
    private(set) var newestDurableRow = 0
    /// How the next commit fails; nil if it succeeds.
    var fault: Fault?
    /// The number of recoveries that will fail.
    var failingRecoveries = 0
    /// The pending batches.
    private var queue: [(rows: [JournalRow], done: (StoreOutcome) -> Void)] = []
    /// Whether a commit has failed since the most recent successful recovery.
    private(set) var isBroken = false
    /// The recovery that was requested and is not yet completed.
    private var recovery: (keeping: JournalPosition, done: (String?) -> Void)?
    /// The queries that were made and are not yet answered. Each one fails if the store is broken when it is answered.
    private var queries: [(_ isBroken: Bool) -> Void] = []
    private let injectedFault: InjectedFault

    /// How a commit fails.
    enum Fault: CaseIterable {
        /// Nothing is written, and the outcome is known.
        case full
        /// Nothing is written, and the outcome is unknown.
        case lost
        /// Everything is written, and the outcome is unknown.
        case leftover
    }

    init(_ injectedFault: InjectedFault) {
        self.injectedFault = injectedFault
        super.init()
    }

    /// Whether a batch, a recovery or a query is pending.
    var isBusy: Bool { !queue.isEmpty || recovery != nil || !queries.isEmpty }

    override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if isBroken { return done(.lost(why: "the disk has failed")) }
        guard injectedFault != .acknowledgedBeforeCommit else {
            queue.append((batch, { _ in }))
            return done(.durable)
        }
        queue.append((batch, done))
    }

    override func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    {
        recovery = (last, done)
    }

    override func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        let failure = StoreError(.unavailable, why: "the storage is out")
        if isBroken { return done(.failure(failure)) }
        queries.append { [unowned self] isBroken in
            done(isBroken ? .failure(failure) : .success(query.page(of: rows)))
        }
    }

    // MARK: steps of the simulation

    /// Completes the pending recovery, or all pending batches in one commit, or all pending queries. Returns the name
    /// of a failure or recovery, to be counted.
    func completePending() -> String? {
        if let recovery { return recover(recovery.keeping, recovery.done) }
        if queue.isEmpty {
            for query in exchange(&queries, with: []) { query(false) }
            return nil
        }
        let group = exchange(&queue, with: [])
        guard let fault = exchange(&fault, with: nil) else {
            for (rows, _) in group { write(rows) }
            newestDurableRow = rows.last?.position ?? 0
            for (_, done) in group { done(.durable) }
            return nil
        }
        isBroken = true
        if fault == .leftover { for (rows, _) in group { write(rows) } }
        let outcome: StoreOutcome =
            fault == .full
            ? .lost(why: "database or disk is full") : .unknown(why: "disk I/O error")
        for (_, done) in group { done(outcome) }
        for query in exchange(&queries, with: []) { query(true) }
        return "commits that failed, \(fault)"
    }

    private func recover(_ keeping: JournalPosition, _ done: (String?) -> Void) -> String? {
        recovery = nil
        guard failingRecoveries == 0 else {
            failingRecoveries -= 1
            done("disk I/O error")
            return "recoveries that failed"
        }
        guard keeping == .start || journal.row(at: keeping.position)?.journalPosition == keeping
        else {
            done("it is another journal")
            return "recoveries that found another journal"
        }
        if injectedFault != .leftoversNotRemoved { remove(after: keeping.position) }
        isBroken = false
        done(nil)
        return "recoveries"
    }

    /// Writes a random number of the oldest pending batches, and loses all other batches. Ends all failures.
    func crash(_ random: inout SeededRandom) {
        let survivors = queue.isEmpty ? 0 : random.below(queue.count + 1)
        for (rows, _) in queue.prefix(survivors) { write(rows) }
        (queue, queries, recovery, isBroken, fault, failingRecoveries) = (
            [], [], nil, false, nil, 0
        )
        newestDurableRow = rows.last?.position ?? 0
    }

    private func write(_ rows: [JournalRow]) {
        // With the fault `leftoversNotRemoved`, there may already be a row at this position.
        for row in rows where journal.row(at: row.position) == nil {
            insert([row])
            journal.add(row)
        }
    }

    private func remove(after position: Int) {
        removeRows(after: position)
        journal = JournalReader()
        for row in rows { journal.add(row) }
    }
}
