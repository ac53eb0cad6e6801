public import EventLoop
public import Sessions
internal import Timers

/// Rows in a directory's journal, written by a thread of their own.
public final class SQLiteStore: Store {
    public let epoch = 1
    /// How many transactions it took.
    public private(set) var transactions = 0
    /// How many of them before the file was opened last.
    private var earlier = 0
    private let directory: String
    private let loop: LibeventLoop
    private var writer: JournalWriter
    private var descriptor: Descriptor?
    private var waiting = Waiting()
    /// The number of the last batch of which is known what became of it.
    private var settled = 0
    /// Why nothing is taken any more.
    private var failure: String?
    private var isOver = false
    private var closed: (() -> Void)?
    public var broke: (_ why: String) -> Void = { _ in }

    /// Who waits for an answer.
    private struct Waiting {
        /// In the order of the batches; the first has the number `settled + 1`.
        var batches: [(StoreOutcome) -> Void] = []
        var queries: [Int: (Result<JournalPage, SQLiteError>) -> Void] = [:]
        var backups: [Int: (Result<BackupFacts, SQLiteError>) -> Void] = [:]
        var recovery: ((String?) -> Void)?
        var candidates: (([JournalFile.Candidate]) -> Void)?
        var pruned: (() -> Void)?
        private var last = 0

        mutating func number() -> Int {
            last += 1
            return last
        }
    }

    /// Opens a directory's journal; what becomes of the batches is told on `loop`.
    public init(_ directory: String, on loop: LibeventLoop) throws(EventLoopError) {
        (self.directory, self.loop) = (directory, loop)
        let door = try ThreadInbox<JournalMessage>()
        writer = try JournalWriter(directory, door)
        try listen(door)
    }

    deinit { writer.finish() }

    private func listen(_ door: ThreadInbox<JournalMessage>) throws(EventLoopError) {
        descriptor = try door.open(on: loop) { [weak self] in self?.hear($0) }
        try writer.start()
    }

    // MARK: what is asked

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(.lost(why: failure)) }
        if isOver || closed != nil { return done(.lost(why: "the journal is closed")) }
        waiting.batches.append(done)
        writer.append(batch)
    }

    public func recover(
        keeping last: RowMark, _ done: @escaping (_ why: String?) -> Void
    ) {
        guard isOver, failure != nil else { return done("the journal has not failed") }
        do {
            let door = try ThreadInbox<JournalMessage>()
            writer = try JournalWriter(directory, keeping: last, door)
            (settled, earlier, isOver, waiting.recovery) = (0, transactions, false, done)
            try listen(door)
        } catch {
            isOver = true
            waiting.recovery = nil
            done("\(error)")
        }
    }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, SQLiteError>) -> Void
    ) {
        guard !isDeaf else { return done(.failure(Self.out)) }
        let number = waiting.number()
        waiting.queries[number] = done
        writer.ask(.find(number, query))
    }

    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void
    ) {
        guard !isDeaf else { return done(.failure(Self.out)) }
        let number = waiting.number()
        waiting.backups[number] = done
        writer.ask(.backup(number, to: path, notes: notes))
    }

    /// Rows that may be old enough to go, to be pruned once it is known which are still wanted; one asks at
    /// a time. Without an answer when the storage is out.
    public func candidates(
        after position: Int, before atNs: Int64, limit: Int,
        _ done: @escaping ([JournalFile.Candidate]) -> Void
    ) {
        guard !isDeaf else { return }
        waiting.candidates = done
        writer.ask(.candidates(after: position, before: atNs, limit: limit))
    }

    /// Removes rows that are not wanted any more.
    public func prune(_ positions: [Int], _ done: @escaping () -> Void) {
        guard !isDeaf else { return }
        waiting.pruned = done
        writer.ask(.prune(positions))
    }

    /// Removes what was noted of the journal as a whole under a name.
    public func forget(_ note: String) {
        if !isDeaf { writer.ask(.forget(note)) }
    }

    /// Notes a sign of life, and how far the journal has got.
    public func mark(_ mark: HighWaterMark) {
        if !isDeaf { writer.ask(.mark(mark)) }
    }

    /// Lets what was appended be committed, and the file be closed; then `done` is called.
    public func close(_ done: @escaping () -> Void) {
        if isOver { return done() }
        closed = done
        writer.finish()
    }

    private var isDeaf: Bool { isOver || failure != nil || closed != nil }
    private static let out = SQLiteError(code: 10, "the storage is out")

    // MARK: what is heard

    private func hear(_ message: JournalMessage) {
        switch message {
        case .opened:
            failure = nil
            exchange(&waiting.recovery, with: nil)?(nil)
        case .kept(let upTo, let transactions):
            self.transactions = earlier + transactions
            settle(upTo: upTo, .kept)
        case .found(let number, let page): waiting.queries.removeValue(forKey: number)?(page)
        case .backedUp(let number, let facts): waiting.backups.removeValue(forKey: number)?(facts)
        case .candidates(let found): exchange(&waiting.candidates, with: nil)?(found)
        case .pruned: exchange(&waiting.pruned, with: nil)?()
        case .ended(let upTo, let outcome): end(upTo, outcome)
        }
    }

    private func settle(upTo number: Int, _ outcome: StoreOutcome) {
        let heard = waiting.batches.prefix(number - settled)
        waiting.batches.removeFirst(heard.count)
        settled = number
        for done in heard { done(outcome) }
    }

    private func end(_ upTo: Int, _ outcome: StoreOutcome) {
        isOver = true
        failure = outcome.why ?? failure
        let (behind, recovery) = (waiting.batches, waiting.recovery)
        let (queries, backups) = (waiting.queries, waiting.backups)
        waiting = Waiting()
        // In one go: whoever hears of the first may ask for a recovery.
        for done in behind {
            done(outcome == .kept ? .lost(why: "the journal is closed") : outcome)
        }
        for (_, done) in queries.sorted(by: { $0.key < $1.key }) { done(.failure(Self.out)) }
        for (_, done) in backups.sorted(by: { $0.key < $1.key }) { done(.failure(Self.out)) }
        if let why = outcome.why {
            recovery?(why)
            if behind.isEmpty, recovery == nil { broke(why) }
        }
        exchange(&closed, with: nil)?()
    }
}
