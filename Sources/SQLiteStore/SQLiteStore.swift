public import EventLoop
public import Journal
public import Sessions
internal import Timers

/// A store whose rows are in the `JournalFile` of a directory. A thread of its own, the `JournalWriter`, reads and writes the
/// file.
public final class SQLiteStore: Store {
    public private(set) var transactions = 0
    /// The part of `transactions` that was counted before the file was last reopened.
    private var earlierTransactions = 0
    private let directory: String
    /// Keeps the directory locked until the store is closed.
    private var lock: DirectoryLock?
    private let loop: LibeventLoop
    private var writer: JournalWriter
    /// Calls `handle` for each message of the writer.
    private var messageWatcher: DescriptorWatcher?
    private var waiting = Waiting()
    /// The number of the newest batch whose outcome is known.
    private var lastCompleted = 0
    /// The reason why the store accepts nothing; nil while it works.
    private var failure: String?
    /// Whether the writer's thread has ended.
    private var hasEnded = false
    /// The callback of `close`; nil unless the store is being closed.
    private var closeCallback: (() -> Void)?
    /// Called with the reason when the store fails while no callback of a batch and no callback of `recover` waits.
    public var onFailure: (_ why: String) -> Void = { _ in }

    /// The callbacks that wait for results.
    private struct Waiting {
        /// The callbacks of `append`, in the order of the batches; the first batch has the number `lastCompleted + 1`.
        var batches: [(StoreOutcome) -> Void] = []
        /// The callbacks of jobs with a result, by the numbers of the jobs.
        var answers: [JobNumber: (Result<JournalAnswer, StoreError>) -> Void] = [:]
        /// The callback of `recover`; nil unless the file is being reopened.
        var recovery: ((String?) -> Void)?
        /// The number of the latest job with a result.
        private var latestNumber: JobNumber = 0

        /// Returns a new number for a job with a result.
        mutating func newNumber() -> JobNumber {
            latestNumber += 1
            return latestNumber
        }
    }

    /// Begins to open a directory's journal, and retains the directory's lock, if one is given. A failure to open the file is
    /// reported as the outcome of the batches, or to `onFailure`. All callbacks are called on the thread of `loop`.
    public init(_ directory: String, holding lock: DirectoryLock? = nil, on loop: LibeventLoop)
        throws(EventLoopError)
    {
        (self.directory, self.lock, self.loop) = (directory, lock, loop)
        let messages = try ThreadInbox<JournalMessage>()
        writer = try JournalWriter(directory, messages)
        try listen(messages)
    }

    deinit { writer.finish() }

    /// Starts the writer, and handles its messages.
    private func listen(_ messages: ThreadInbox<JournalMessage>) throws(EventLoopError) {
        messageWatcher = try messages.open(on: loop) { [weak self] in self?.handle($0) }
        try writer.start()
    }

    // MARK: calls

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(.lost(why: failure)) }
        if hasEnded || closeCallback != nil { return done(.lost(why: "the journal is closed")) }
        waiting.batches.append(done)
        writer.append(batch)
    }

    /// Opens the journal again. Its row `last` must be unchanged; the rows after `last` are removed.
    public func recover(
        keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void
    ) {
        guard hasEnded, failure != nil else { return done("the journal has not failed") }
        do {
            let messages = try ThreadInbox<JournalMessage>()
            writer = try JournalWriter(directory, keeping: last, messages)
            (lastCompleted, earlierTransactions) = (0, transactions)
            (hasEnded, waiting.recovery) = (false, done)
            try listen(messages)
        } catch {
            hasEnded = true
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
        } extracting: {
            if case .rows(let rows) = $0 { rows } else { nil }
        }
    }

    public func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) {
        ask(done) {
            .newest($0, of: sessions)
        } extracting: {
            if case .newest(let rows) = $0 { rows } else { nil }
        }
    }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) {
        ask(done) {
            .find($0, query)
        } extracting: {
            if case .page(let page) = $0 { page } else { nil }
        }
    }

    public func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) {
        ask(done) {
            .candidates($0, after: position, before: atNs, limit: limit)
        } extracting: {
            if case .candidates(let candidates) = $0 { candidates } else { nil }
        }
    }

    public func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        ask(done) {
            .prune($0, positions: positions)
        } extracting: {
            if case .pruned = $0 { () } else { nil }
        }
    }

    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) {
        ask(done) {
            .backup($0, to: path, notes: notes)
        } extracting: {
            if case .backup(let summary) = $0 { summary } else { nil }
        }
    }

    /// Sends a job to the writer. `job` makes the job with its number. `extract` returns the result in the writer's answer; nil
    /// if the answer belongs to another kind of job.
    private func ask<T>(
        _ done: @escaping (Result<T, StoreError>) -> Void, _ job: (JobNumber) -> JournalJob,
        extracting extract: @escaping (JournalAnswer) -> T?
    ) {
        guard !isUnavailable else { return done(.failure(Self.outageError)) }
        let number = waiting.newNumber()
        waiting.answers[number] = { answer in
            done(
                answer.flatMap { answer in
                    extract(answer).map { .success($0) } ?? .failure(Self.outageError)
                })
        }
        writer.enqueue(job(number))
    }

    /// Writes a note about the journal.
    public func setNote(_ name: String, _ value: String) {
        if !isUnavailable { writer.enqueue(.setNote(name, value)) }
    }

    /// Removes a note about the journal, if it exists.
    public func removeNote(_ name: String) {
        if !isUnavailable { writer.enqueue(.removeNote(name)) }
    }

    /// Records the position of the newest row, and the time until which the daemon has run.
    public func mark(_ mark: HighWaterMark) {
        if !isUnavailable { writer.enqueue(.mark(mark)) }
    }

    /// Commits what was appended, closes the file, and calls `done`.
    public func close(_ done: @escaping () -> Void) {
        if hasEnded { return done() }
        closeCallback = { [self] in
            lock = nil
            done()
        }
        writer.finish()
    }

    private var isUnavailable: Bool { hasEnded || failure != nil || closeCallback != nil }
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
        case .ended(_, let outcome): end(outcome)
        }
    }

    /// Calls the callbacks of the batches up to a number, which is not less than `lastCompleted`.
    private func completeBatches(upTo number: Int, _ outcome: StoreOutcome) {
        let completedBatches = waiting.batches.prefix(number - lastCompleted)
        waiting.batches.removeFirst(completedBatches.count)
        lastCompleted = number
        for done in completedBatches { done(outcome) }
    }

    /// Reports the end of the writer to everyone who waits. The durable batches were reported before.
    private func end(_ outcome: StoreOutcome) {
        hasEnded = true
        failure = outcome.why ?? failure
        let (pendingBatches, recovery) = (waiting.batches, waiting.recovery)
        let answers = waiting.answers
        // `waiting` is emptied before any callback is called, because a callback may start a recovery, which uses `waiting`.
        waiting = Waiting()
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
