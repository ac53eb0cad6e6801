public import EventLoop
public import Journal
internal import Sessions
internal import Support
internal import Timers

/// A store whose rows are in a PostgreSQL database, of which one process at a time is the writer.
///
/// The process owns the store under an epoch, from `acquire` until another process acquires it.
/// Each append checks the epoch in its own transaction, so that a process that is no longer the
/// owner adds no row. One append at a time is on its way; what is appended meanwhile is written
/// together by the next one.
///
/// When the connection is lost, it connects again, reads whether the last append was executed, and
/// goes on; nobody is told before. If that takes longer than `hold`, the outcome is unknown.
public final class PostgresStore: Store {
    public internal(set) var transactions = 0
    public var broke: (_ why: String) -> Void = { _ in }
    public weak var delegate: (any PostgresStoreDelegate)?

    let link: PostgresLink
    let location: PostgresLocation
    private let loop: LibeventLoop
    let shard: Int32
    /// The identity of this process.
    public let owner: String
    private let hold: Duration
    /// The epoch under which this process owns the shard; nil before it has acquired it.
    public internal(set) var epoch: Int?
    var writes = WriteQueue()
    private var reads = ReadQueue()
    /// Whether this connection may write: after it was made the writer under the present epoch.
    var mayWrite = false
    /// The reason why the store accepts nothing; nil while it works.
    var failure: String?
    /// Whether another process owns the shard.
    var isFenced = false
    private var closed: (() -> Void)?
    private var isClosed = false
    var holdEnd: ScopedCountdown?
    var pause: ScopedCountdown?
    /// The reason why there is no connection.
    private var lastError = PostgresError(.disconnected, "not connected yet")
    /// The newest mark, which the next renewal of the lease writes.
    public private(set) var lastMark: HighWaterMark?

    /// Prepares a store for the shard's rows; `start` connects. `owner` is unique to this process.
    public init(
        _ location: PostgresLocation, shard: Int = 0, owner: String, acceptsWeak: Bool = false,
        hold: Duration = .seconds(30), on loop: LibeventLoop
    ) {
        (self.location, self.owner, self.hold, self.loop) = (location, owner, hold, loop)
        self.shard = Int32(clamping: shard)
        link = PostgresLink(
            location, ServerRequirement(acceptsWeak: acceptsWeak),
            preparing: Statement.allCases, on: loop)
        link.opened = { [unowned self] _ in connectionOpened() }
        link.failed = { [unowned self] in connectionFailed($0) }
    }

    /// Begins to connect. `delegate` is told when there is a connection.
    public func start() { link.start() }

    // MARK: writing

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(.lost(why: failure)) }
        guard !takesNothing else { return done(.lost(why: "the store is closed")) }
        guard epoch != nil else { return done(.lost(why: "this process does not own the store")) }
        writes.add(batch, done)
        pump()
    }

    /// Sends what can be sent now.
    func pump() {
        guard let connection = link.connection else { return }
        if mayWrite, let epoch, let batch = writes.next() {
            let command = PostgresCommand(
                .append, PostgresRow.parameters(shard: shard, epoch: epoch, batch.rows))
            connection.execute([command]) { [weak self] in self?.appended(batch.rows.count, $0) }
        }
        while let read = reads.next(written: writes.sent) {
            connection.execute([read.command]) { [weak self] in self?.answer(read, $0) }
        }
        finishClosing()
    }

    private func appended(_ count: Int, _ result: PostgresConnection.GroupResult) {
        switch result {
        case .success(let results) where results.first?.affected == count:
            settleWrite()
        case .success(let results) where results.first?.affected == 0: loseOwnership()
        case .success: fail(.unknown(why: "the database inserted some rows of a batch only"))
        // The link reports the loss too, and the outcome is read when there is a connection again.
        case .failure(let error) where error.isDisconnect: break
        case .failure(let error): fail(.lost(why: error.message))
        }
    }

    /// The batch that was sent is durable.
    func settleWrite() {
        transactions += 1
        for done in writes.settle() { done(.kept) }
        pump()
    }

    /// Accepts nothing more until `recover`, and tells everybody who waits.
    func fail(_ outcome: StoreOutcome) {
        guard failure == nil, let why = outcome.why else { return }
        failure = why
        (mayWrite, holdEnd) = (false, nil)
        let (sent, unsent) = writes.removeAll()
        let questions = reads.removeAll()
        for done in sent { done(outcome) }
        for done in unsent { done(.lost(why: why)) }
        for read in questions { read.done(.failure(Self.out)) }
        if sent.isEmpty, unsent.isEmpty { broke(why) }
        finishClosing()
    }

    /// Another process has acquired the shard.
    func loseOwnership() {
        (isFenced, epoch) = (true, nil)
        fail(.unknown(why: Self.fencedOut))
        delegate?.storeWasFenced()
    }

    static let fencedOut = "another node owns the sessions now"
    static let out = StoreError(.out, why: "the storage is out")

    // MARK: reading

    /// Sends a read after what was appended before it. It is repeated if the connection is lost.
    func read(
        _ command: PostgresCommand, _ done: @escaping (Result<PostgresResult, StoreError>) -> Void
    ) {
        guard !takesNothing, failure == nil else { return done(.failure(Self.out)) }
        reads.add(StoreRead(command: command, written: writes.added, done: done))
        pump()
    }

    private func answer(_ read: StoreRead, _ result: PostgresConnection.GroupResult) {
        guard reads.settle() != nil else { return }
        switch result {
        case .success(let results):
            read.done(results.first.map { .success($0) } ?? .failure(Self.out))
        case .failure(let error) where error.isDisconnect && failure == nil && !isClosed:
            reads.repeatLater(read)
        case .failure(let error): read.done(.failure(error.storeError))
        }
        finishClosing()
    }

    public func mark(_ mark: HighWaterMark) { lastMark = mark }

    // MARK: the connection

    private func connectionOpened() {
        mayWrite = false
        guard failure == nil else { return }
        if epoch == nil {
            delegate?.storeIsConnected()
            pump()
        } else {
            resume()
        }
    }

    private func connectionFailed(_ error: PostgresError) {
        lastError = error
        mayWrite = false
        reads.connectionWasLost()
        guard failure == nil, epoch != nil else {
            delegate?.storeIsDisconnected(why: error.message, isFatal: error.kind == .unsuitable)
            return finishClosing()
        }
        if closed != nil { return fail(.unknown(why: error.message)) }
        if holdEnd == nil {
            holdEnd = ScopedCountdown(on: loop, hold) { [unowned self] in holdEnded() }
        }
        delegate?.storeIsDisconnected(why: error.message, isFatal: false)
    }

    private func holdEnded() { fail(.unknown(why: lastError.message)) }

    var disconnection: String { lastError.message }

    func wait(_ time: Duration, _ work: @escaping () -> Void) {
        pause = ScopedCountdown(on: loop, time, work)
    }

    // MARK: the end

    public func close(_ done: @escaping () -> Void) {
        if isClosed { return done() }
        closed = done
        if link.connection == nil { fail(.unknown(why: lastError.message)) }
        finishClosing()
    }

    private var takesNothing: Bool { isClosed || closed != nil }

    private func finishClosing() {
        guard let closed, failure != nil || (writes.isEmpty && reads.isEmpty) else { return }
        self.closed = nil
        isClosed = true
        (holdEnd, pause) = (nil, nil)
        link.stop()
        closed()
    }

    func makeWorkerInbox<Message: Sendable>(
        _ receive: @escaping (Message) -> Void
    ) throws(EventLoopError) -> (ThreadInbox<Message>, DescriptorWatcher) {
        let inbox = try ThreadInbox<Message>()
        return (inbox, try inbox.open(on: loop, receive))
    }

    /// The backup that is being made.
    var backup: DescriptorWatcher?
}

/// What the owner of a `PostgresStore` is told. Called on the loop's thread.
public protocol PostgresStoreDelegate: AnyObject {
    /// There is a connection, and this process does not own the store.
    func storeIsConnected()
    /// There is no connection, and the store tries to get one. `isFatal` if an operator has to
    /// change something first.
    func storeIsDisconnected(why: String, isFatal: Bool)
    /// The store is connected again, and still owned by this process.
    func storeHasResumed()
    /// Another process has acquired the store; nothing of this process is stored any more.
    func storeWasFenced()
}
