public import Journal

/// The rows of one shard of a `PostgresStore`.
public final class PostgresShard: Store {
    public internal(set) var transactions = 0
    public var onFailure: (_ why: String) -> Void = { _ in }
    public let store: PostgresStore
    let number: Int32
    /// The epoch under which this process owns the shard; nil if this process does not own the shard.
    public internal(set) var epoch: Int?
    /// The reason why the shard accepts nothing; nil while it works.
    var failure: String?
    /// Whether this process was the owner of the shard and is not any more. The database refuses its rows.
    var isFenced = false
    /// The newest mark, which the next renewal of the lease writes.
    public private(set) var lastMark: HighWaterMark?
    /// The number of reads whose results are awaited.
    var waitingReads = 0
    /// The callback of `close`; nil unless the shard is being closed.
    private var closeCallback: (() -> Void)?
    private var isClosed = false

    init(_ number: Int32, of store: PostgresStore) { (self.number, self.store) = (number, store) }

    // MARK: writing

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if let failure { return done(.lost(why: failure)) }
        guard !isClosedOrClosing else { return done(.lost(why: "the store is closed")) }
        guard epoch != nil else { return done(.lost(why: "this process does not own the shard")) }
        store.append(batch, of: self, done)
    }

    /// Refuses all further calls until `recover`. Reports `outcome` for the batches that were sent. `part` is a part of an
    /// append that has just ended; `outcome` is reported for its batches too. Reports batches that were not sent as lost.
    func fail(_ outcome: StoreOutcome, with part: WriteQueue.Part? = nil) {
        guard failure == nil, let why = outcome.why else { return }
        failure = why
        var (sent, unsent) = store.writes.removeRows(of: number)
        sent = (part?.done ?? []) + sent
        for done in sent { done(outcome) }
        for done in unsent { done(.lost(why: why)) }
        store.endReads(of: self)
        if sent.isEmpty, unsent.isEmpty { onFailure(why) }
        finishClosing()
    }

    /// Another process has acquired the shard, or rows of the shard were erased. If the database has refused a part of an
    /// append for this reason, `part` is this part. Otherwise `part` is nil.
    ///
    /// The callbacks of the batches answer the waiting requests with a failure. The delegate is called before these callbacks,
    /// so that the delegate can first send the repeatable requests to the next owner.
    func loseOwnership(of part: WriteQueue.Part? = nil) {
        (isFenced, epoch) = (true, nil)
        store.delegate?.shardWasFenced(Int(number))
        if failure == nil { return fail(.unknown(why: Self.fencedReason), with: part) }
        for done in part?.done ?? [] { done(.unknown(why: Self.fencedReason)) }
    }

    static let fencedReason = "another node owns the sessions now"
    static let outageError = StoreError(.unavailable, why: "the storage is out")

    // MARK: reading

    func read(
        _ command: PostgresCommand, _ done: @escaping (Result<PostgresResult, StoreError>) -> Void
    ) {
        guard !isClosedOrClosing, failure == nil else { return done(.failure(Self.outageError)) }
        store.read(command, for: self, done)
    }

    public func mark(_ mark: HighWaterMark) { lastMark = mark }

    // MARK: the end

    /// The connection was lost. A shard that is being closed does not wait for the next connection.
    func connectionWasLost(_ error: PostgresError) {
        if closeCallback != nil { fail(.unknown(why: error.why)) }
    }

    public func close(_ done: @escaping () -> Void) {
        if isClosed { return done() }
        closeCallback = done
        if !store.link.isConnected { fail(.unknown(why: store.lastError.why)) }
        finishClosing()
    }

    /// Closes the shard at once, because this process is no longer its owner. The outcomes of waiting
    /// batches are unknown.
    public func abandon() {
        fail(.unknown(why: Self.fencedReason))
        (isClosed, epoch, closeCallback) = (true, nil, nil)
        store.remove(self)
    }

    private var isClosedOrClosing: Bool { isClosed || closeCallback != nil }

    func finishClosing() {
        guard let closeCallback,
            failure != nil || (store.writes.isEmpty(number) && waitingReads == 0)
        else { return }
        self.closeCallback = nil
        isClosed = true
        store.remove(self)
        closeCallback()
    }
}
