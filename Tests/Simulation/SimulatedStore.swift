import Journal
import Sessions
import TestSupport

/// A disk with a journal's rows, for the simulation: commits take their time and may fail, with or
/// without having written what they should; opening it anew may fail, too; a crash keeps what was committed,
/// and of what was on its way all or nothing.
final class SimulatedStore: MemoryStore {
    private(set) var books = JournalReader()
    /// Up to which row it is known to be there.
    private(set) var acknowledged = 0
    /// What became of the next commit, if something is to go wrong with it.
    var fault: Fault?
    /// How many attempts to open it anew fail.
    var stubbornness = 0
    private var queue: [(rows: [JournalRow], done: (StoreOutcome) -> Void)] = []
    /// Whether it is not known what is there.
    private(set) var isBroken = false
    private var recovery: (keeping: JournalPosition, done: (String?) -> Void)?
    private var queries: [(_ isBroken: Bool) -> Void] = []
    private let injected: InjectedFault

    /// How a commit fails.
    enum Fault: CaseIterable {
        /// Nothing is written, and that is known.
        case full
        /// It is not known what is written: nothing.
        case lost
        /// It is not known what is written: all of it.
        case leftover
    }

    init(_ injected: InjectedFault) {
        self.injected = injected
        super.init()
    }

    /// Whether something waits for it.
    var isBusy: Bool { !queue.isEmpty || recovery != nil || !queries.isEmpty }

    override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if isBroken { return done(.lost(why: "the disk has failed")) }
        guard injected != .acknowledgedBeforeCommit else {
            queue.append((batch, { _ in }))
            return done(.kept)
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
        let out = StoreError(.out, why: "the storage is out")
        if isBroken { return done(.failure(out)) }
        queries.append { [unowned self] isBroken in
            done(isBroken ? .failure(out) : .success(query.page(of: rows)))
        }
    }

    // MARK: what the world does

    /// Works on what waits: a commit of all that has gathered, an attempt to open it anew, or a question.
    func work() -> String? {
        if let recovery { return recover(recovery.keeping, recovery.done) }
        if queue.isEmpty {
            for query in exchange(&queries, with: []) { query(false) }
            return nil
        }
        let group = exchange(&queue, with: [])
        guard let fault = exchange(&fault, with: nil) else {
            for (rows, _) in group { write(rows) }
            acknowledged = rows.last?.position ?? 0
            for (_, done) in group { done(.kept) }
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
        guard stubbornness == 0 else {
            stubbornness -= 1
            done("disk I/O error")
            return "recoveries that failed"
        }
        guard keeping == .start || books.row(at: keeping.position)?.mark == keeping else {
            done("it is another journal")
            return "journals that were another"
        }
        if injected != .leftoversStay { remove(after: keeping.position) }
        isBroken = false
        done(nil)
        return "recoveries"
    }

    /// The power is gone, or the process: what was on its way is written up to some batch, or not at all.
    func crash(_ random: inout SeededRandom) {
        let survivors = queue.isEmpty ? 0 : random.below(queue.count + 1)
        for (rows, _) in queue.prefix(survivors) { write(rows) }
        (queue, queries, recovery, isBroken, fault, stubbornness) = ([], [], nil, false, nil, 0)
        acknowledged = rows.last?.position ?? 0
    }

    /// What was handed over before the fault of saying so at once is all there is to be written.
    private func write(_ rows: [JournalRow]) {
        // A leftover stands where new rows belong: the disk knows no position twice.
        for row in rows where books.row(at: row.position) == nil {
            insert([row])
            books.take(row)
        }
    }

    private func remove(after position: Int) {
        removeRows(after: position)
        books = JournalReader()
        for row in rows { books.take(row) }
    }
}
