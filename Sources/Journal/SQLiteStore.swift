public import Timers

/// Rows in a directory's journal, written by a thread of their own.
public final class SQLiteStore: Store {
    public let epoch = 1
    /// How many transactions it took so far.
    public private(set) var transactions = 0
    private let writer: JournalWriter
    private var descriptor: Descriptor?
    /// Who waits, in the order of the batches; the first has the number `settled + 1`.
    private var waiting: [(StoreOutcome) -> Void] = []
    private var settled = 0
    /// Why nothing is taken any more.
    private var failure: StoreOutcome?
    private var isOver = false
    private var closed: (() -> Void)?

    /// Opens a directory's journal; what becomes of the batches is told on `loop`.
    public init(_ directory: String, on loop: EventLoop) throws(EventLoopError) {
        let door = try Door<JournalWriter.Report>()
        writer = try JournalWriter(directory, door)
        descriptor = try door.open(on: loop) { [weak self] in self?.settle($0) }
        try writer.start()
    }

    deinit { writer.finish() }

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(Self.lost(failure)) }
        if isOver || closed != nil { return done(.lost(why: "the journal is closed")) }
        waiting.append(done)
        writer.append(batch)
    }

    /// Lets what was appended be committed, and the file be closed; then `done` is called.
    public func close(_ done: @escaping () -> Void) {
        if isOver { return done() }
        closed = done
        writer.finish()
    }

    private func settle(_ report: JournalWriter.Report) {
        transactions = report.transactions
        let count = report.upTo - settled
        settled = report.upTo
        let heard = waiting.prefix(count)
        waiting.removeFirst(count)
        if report.outcome != .kept { failure = report.outcome }
        isOver = report.isLast
        defer { if isOver { finish() } }
        for done in heard { done(report.outcome) }
        guard failure != nil else { return }
        // What stood behind the failure was never tried.
        let behind = waiting
        waiting = []
        for done in behind { done(Self.lost(report.outcome)) }
    }

    private func finish() {
        let done = closed
        closed = nil
        done?()
    }

    private static func lost(_ outcome: StoreOutcome) -> StoreOutcome {
        switch outcome {
        case .kept: .kept
        case .lost(let why), .unknown(let why): .lost(why: why)
        }
    }
}
