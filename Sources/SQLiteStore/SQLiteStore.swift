public import EventLoop
public import Journal
public import Sessions
internal import Timers

/// A store whose rows are in a directory's journal, written by a separate thread.
public final class SQLiteStore: Store {
    public private(set) var transactions = 0
    /// The number of transactions before the file was opened most recently.
    private var earlierTransactions = 0
    private let directory: String
    /// Held as long as the store exists.
    private let lock: DirectoryLock?
    private let loop: LibeventLoop
    private var writer: JournalWriter
    /// Calls `handle` when the writer has sent a message.
    private var messageWatcher: DescriptorWatcher?
    private var waiting = Waiting()
    /// The number of the newest batch whose outcome is known.
    private var lastCompleted = 0
    /// The reason why the store accepts nothing; nil while it works.
    private var failure: String?
    /// Whether the writer's thread has ended.
    private var isOver = false
    /// The callback of `close`; nil unless the store is being closed.
    private var closeCallback: (() -> Void)?
    /// Called with the reason when the store fails while no batch and no recovery waits.
    public var onFailure: (_ why: String) -> Void = { _ in }

    /// The callbacks that wait for results.
    private struct Waiting {
        /// In the order of the batches; the first has the number `lastCompleted + 1`.
        var batches: [(StoreOutcome) -> Void] = []
        /// By the numbers of the jobs.
        var answers: [Int: (Result<JournalAnswer, StoreError>) -> Void] = [:]
        /// The callback of `recover`; nil unless the file is being reopened.
        var recovery: ((String?) -> Void)?
        /// The number that was given to a job most recently.
        private var latestNumber = 0

        /// Returns a new number for a job with a result.
        mutating func newNumber() -> Int {
            latestNumber += 1
            return latestNumber
        }
    }

    /// Opens a directory's journal, and retains the directory's lock, if one is given. Outcomes are
    /// reported on `loop`.
    public init(_ directory: String, holding lock: DirectoryLock? = nil, on loop: LibeventLoop)
        throws(EventLoopError)
    {
        (self.directory, self.lock, self.loop) = (directory, lock, loop)
        let messages = try ThreadInbox<JournalMessage>()
        writer = try JournalWriter(directory, messages)
        try listen(messages)
    }

    deinit { writer.finish() }

    private func listen(_ messages: ThreadInbox<JournalMessage>) throws(EventLoopError) {
        messageWatcher = try messages.open(on: loop) { [weak self] in self?.handle($0) }
        try writer.start()
    }

    // MARK: calls

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(.lost(why: failure)) }
        if isOver || closeCallback != nil { return done(.lost(why: "the journal is closed")) }
        waiting.batches.append(done)
        writer.append(batch)
    }

    public func recover(
        keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void
    ) {
        guard isOver, failure != nil else { return done("the journal has not failed") }
        do {
            let messages = try ThreadInbox<JournalMessage>()
            writer = try JournalWriter(directory, keeping: last, messages)
            (lastCompleted, earlierTransactions) = (0, transactions)
            (isOver, waiting.recovery) = (false, done)
            try listen(messages)
        } catch {
            isOver = true
            waiting.recovery = nil
            done("\(error)")
        }
    }

    public func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
    ) {
        ask(done) {
            .walk($0, after: position, limit: limit)
        } taking: {
            if case .rows(let rows) = $0 { rows } else { nil }
        }
    }

    public func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) {
        ask(done) {
            .newest($0, of: sessions)
        } taking: {
            if case .newest(let rows) = $0 { rows } else { nil }
        }
    }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        ask(done) {
            .find($0, query)
        } taking: {
            if case .page(let page) = $0 { page } else { nil }
        }
    }

    public func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) {
        ask(done) {
            .candidates($0, after: position, before: atNs, limit: limit)
        } taking: {
            if case .candidates(let found) = $0 { found } else { nil }
        }
    }

    public func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        ask(done) {
            .prune($0, positions)
        } taking: {
            if case .pruned = $0 { () } else { nil }
        }
    }

    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) {
        ask(done) {
            .backup($0, to: path, notes: notes)
        } taking: {
            if case .backup(let info) = $0 { info } else { nil }
        }
    }

    /// Sends a job to the writer, and extracts the result from its message.
    private func ask<T>(
        _ done: @escaping (Result<T, StoreError>) -> Void, _ job: (Int) -> JournalJob,
        taking take: @escaping (JournalAnswer) -> T?
    ) {
        guard !isUnavailable else { return done(.failure(Self.outageError)) }
        let number = waiting.newNumber()
        waiting.answers[number] = { answer in
            done(
                answer.flatMap { answer in
                    take(answer).map { .success($0) } ?? .failure(Self.outageError)
                })
        }
        writer.ask(job(number))
    }

    /// Removes the note of that name about the journal.
    public func removeNote(_ name: String) {
        if !isUnavailable { writer.ask(.removeNote(name)) }
    }

    /// Records the position of the newest row, and the time until which the daemon has run.
    public func mark(_ mark: HighWaterMark) {
        if !isUnavailable { writer.ask(.mark(mark)) }
    }

    /// Commits what was appended, closes the file, and calls `done`.
    public func close(_ done: @escaping () -> Void) {
        if isOver { return done() }
        closeCallback = done
        writer.finish()
    }

    private var isUnavailable: Bool { isOver || failure != nil || closeCallback != nil }
    private static let outageError = StoreError(.unavailable, why: "the storage is out")

    // MARK: messages from the writer

    private func handle(_ message: JournalMessage) {
        switch message {
        case .opened:
            failure = nil
            exchange(&waiting.recovery, with: nil)?(nil)
        case .durable(let upTo, let transactions):
            self.transactions = earlierTransactions + transactions
            completeBatches(upTo: upTo, .durable)
        case .answered(let number, let answer):
            waiting.answers.removeValue(forKey: number)?(answer)
        case .ended(let upTo, let outcome): end(upTo, outcome)
        }
    }

    private func completeBatches(upTo number: Int, _ outcome: StoreOutcome) {
        let completedBatches = waiting.batches.prefix(number - lastCompleted)
        waiting.batches.removeFirst(completedBatches.count)
        lastCompleted = number
        for done in completedBatches { done(outcome) }
    }

    private func end(_ upTo: Int, _ outcome: StoreOutcome) {
        isOver = true
        failure = outcome.why ?? failure
        let (pendingBatches, recovery) = (waiting.batches, waiting.recovery)
        let answers = waiting.answers
        waiting = Waiting()
        // `waiting` is emptied before any callback is called, because a callback may start a recovery, which uses it.
        for done in pendingBatches {
            done(outcome == .durable ? .lost(why: "the journal is closed") : outcome)
        }
        for (_, done) in answers.sorted(by: { $0.key < $1.key }) {
            done(.failure(Self.outageError))
        }
        if let why = outcome.why {
            recovery?(why)
            if pendingBatches.isEmpty, recovery == nil { onFailure(why) }
        }
        exchange(&closeCallback, with: nil)?()
    }
}
