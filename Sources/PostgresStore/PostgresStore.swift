package import EventLoop
package import Journal
internal import Support
package import Timers

/// The rows of several shards in a PostgreSQL database. This process writes the rows of the shards
/// that it has acquired.
///
/// A process owns a shard under an epoch, from `acquire` until another process acquires it. Each
/// append checks the epochs of its shards in its own transaction. So a process that is no longer the
/// owner adds no row. One append is in progress at a time; the next append writes all rows that are
/// added meanwhile, in all shards.
///
/// When the connection is lost, the store connects again, reads whether the last append was
/// executed, and continues; waiting callers notice nothing. If that takes longer than `hold`, the
/// outcomes of their batches are unknown.
public final class PostgresStore {
    public weak var delegate: (any PostgresStoreDelegate)?
    /// The number of transactions that added rows.
    public private(set) var transactions = 0

    let link: any DatabaseLink
    private let clock: any TimerClock
    /// The source of backups; nil if the link does not lead to a server.
    let backups: BackupSource?
    /// The identity of this process.
    public let owner: String
    /// How long batches wait for a new connection after a loss. After this time their outcomes are unknown.
    private let hold: Duration
    private(set) var shards: [Int32: PostgresShard] = [:]
    var writes = WriteQueue()
    private var reads = ReadQueue()
    /// Whether the present connection may write rows: false until the owned shards have new epochs for this connection.
    var mayWrite = false
    /// The number of rows for which the next append waits, but only until `gatherTimer` fires. When an
    /// append ends, clients get answers, and most of them send their next request at once. Without the
    /// wait, the next append would lack the rows of these requests.
    private var wantedRows = 0
    private var gatherTimer: ScopedCountdown?
    /// The longest wait for further rows.
    private static let longestGatherTime = Duration.microseconds(500)
    /// Whether `collect` is running: rows are then not sent before it ends.
    private var isCollecting = false
    /// Runs from the loss of the connection until `hold` has passed. If the server did not answer, `hold` includes the time for
    /// which the link has waited for its answer.
    private var holdEnd: ScopedCountdown?
    /// The timer of `runLater`.
    private var laterTimer: ScopedCountdown?
    /// The reason why there is no connection.
    private(set) var lastError = PostgresError(.disconnected, "not connected yet")
    /// Whether a backup is being made.
    var isBackingUp = false
    /// Receives the result of the backup's thread.
    var backupThread: DescriptorWatcher?

    /// Prepares a store; `start` connects. `owner` is unique to this process. Backups are journals of the kind `backups`.
    package convenience init(
        _ location: PostgresLocation, owner: String, acceptsWeakStore: Bool = false,
        hold: Duration = .seconds(30), backups: any LocalJournal.Type, on loop: LibeventLoop
    ) {
        let link = PostgresLink(
            location, acceptsWeakStore: acceptsWeakStore, preparing: Statement.allCases, on: loop)
        self.init(
            link, owner: owner, hold: hold, on: loop,
            backups: BackupSource(location: location, kind: backups, loop: loop))
    }

    /// Prepares a store on a link that only this store uses; `start` connects. `clock` is the clock of the thread that uses the
    /// store.
    package init(
        _ link: any DatabaseLink, owner: String, hold: Duration = .seconds(30),
        on clock: any TimerClock, backups: BackupSource? = nil
    ) {
        (self.link, self.owner, self.hold, self.clock) = (link, owner, hold, clock)
        self.backups = backups
        link.opened = { [unowned self] in connectionOpened() }
        link.failed = { [unowned self] in connectionFailed($0, after: $1) }
    }

    /// Begins to connect. Reports to `delegate` when there is a connection.
    public func start() { link.start() }

    /// Ends the connection. Close the shards before this call.
    public func stop() {
        (holdEnd, laterTimer, gatherTimer, wantedRows) = (nil, nil, nil, 0)
        link.stop()
    }

    /// The rows of a shard. There is one object for each shard until it is closed.
    public func shard(_ number: Int) -> PostgresShard {
        let number = Int32(clamping: number)
        if let shard = shards[number] { return shard }
        let shard = PostgresShard(number, of: self)
        shards[number] = shard
        return shard
    }

    func remove(_ shard: PostgresShard) { shards[shard.number] = nil }

    /// The shards whose appends are accepted.
    var owned: [PostgresShard] {
        shards.values.filter { $0.epoch != nil && $0.failure == nil }
            .sorted { $0.number < $1.number }
    }

    // MARK: writing

    /// Writes the rows that are appended during `work` in one transaction.
    public func collect(_ work: () -> Void) {
        isCollecting = true
        work()
        isCollecting = false
        pump()
    }

    func append(_ rows: [JournalRow], of shard: PostgresShard, _ done: @escaping WriteQueue.Done) {
        writes.add(rows, of: shard.number, done)
        pump()
    }

    /// Sends the gathered rows and the waiting reads, as far as they can be sent now.
    func pump() {
        guard link.isConnected, !isCollecting else { return }
        if mayWrite, writes.gatheredRows >= wantedRows {
            let parts = writes.beginAppend()
            if !parts.isEmpty {
                (wantedRows, gatherTimer) = (0, nil)
                let command = PostgresCommand(
                    .append, PostgresRow.parameters(parts) { shards[$0]?.epoch ?? 0 })
                link.execute([command]) { [weak self] in self?.appended($0) }
            }
        }
        // The loss of the connection can be noticed while a command is sent.
        while link.isConnected, let read = reads.next(if: writes.hasSent) {
            link.execute([read.command]) { [weak self] in self?.answer(read, $0) }
        }
        for shard in shards.values { shard.finishClosing() }
    }

    private func appended(_ result: PostgresConnection.GroupResult) {
        switch result {
        case .success(let results):
            let found = results.first
            appendWasExecuted(
                for: Set((0..<(found?.count ?? 0)).compactMap { found?.integer($0, 0) }))
        // The link reports the loss too, and the outcome is read when there is a connection again.
        case .failure(let error) where error.isDisconnect: break
        case .failure(let error) where error.sqlState == PostgresError.SQLState.lockNotAvailable:
            // Nothing was executed: another connection holds the lock of a shard.
            writes.requeue(writes.endAppend())
            runLater(after: .milliseconds(20)) { [unowned self] in pump() }
        case .failure(let error):
            for part in writes.endAppend() {
                shards[part.shard]?.fail(.lost(why: error.why), with: part)
            }
            pump()
        }
    }

    /// An append with this number of rows has ended, and its clients get their answers. Waits a moment for the next requests of
    /// these clients.
    private func gather(after rows: Int) {
        guard rows > 1 else { return }
        wantedRows = writes.gatheredRows + rows
        gatherTimer = ScopedCountdown(on: clock, Self.longestGatherTime) { [unowned self] in
            wantedRows = 0
            pump()
        }
    }

    /// The append was executed for the shards in `confirmed`. This process is no longer the owner of the other shards.
    private func appendWasExecuted(for confirmed: Set<Int>) {
        transactions += 1
        let parts = writes.endAppend()
        gather(after: parts.reduce(0) { $0 + $1.rows.count })
        for part in parts {
            if confirmed.contains(Int(part.shard)) {
                shards[part.shard]?.transactions += 1
                for done in part.done { done(.durable) }
            } else {
                shards[part.shard]?.loseOwnership(of: part)
            }
        }
        pump()
    }

    /// Ends the append that was on its way when the connection was lost. A part that was executed is durable; the other parts
    /// are sent again. `checksums` has a checksum for each shard, as the database returned it. It is the checksum of the stored
    /// row at the position of the part's last row.
    func endInterruptedAppend(checksums: [Int: Int]) {
        let parts = writes.endAppend()
        let isDurable = { (part: WriteQueue.Part) in
            part.rows.last.map { checksums[Int(part.shard)] == Int($0.checksum) } ?? true
        }
        writes.requeue(parts.filter { !isDurable($0) })
        let durableParts = parts.filter(isDurable)
        if !durableParts.isEmpty { transactions += 1 }
        for part in durableParts {
            shards[part.shard]?.transactions += 1
            for done in part.done { done(.durable) }
        }
    }

    // MARK: reading

    /// Sends a read after the rows that were appended before it. Repeats the read if the connection is lost.
    func read(
        _ command: PostgresCommand, for shard: PostgresShard,
        _ done: @escaping (Result<PostgresResult, StoreError>) -> Void
    ) {
        shard.waitingReads += 1
        reads.add(
            StoreRead(
                shard: shard.number, command: command, precedingAppend: writes.newestAppend
            ) { [weak shard] in
                shard?.waitingReads -= 1
                done($0)
            })
        pump()
    }

    private func answer(_ read: StoreRead, _ result: PostgresConnection.GroupResult) {
        reads.removeOldestSent()
        let shard = shards[read.shard]
        switch result {
        case .success(let results):
            read.done(results.first.map { .success($0) } ?? .failure(PostgresShard.outageError))
        case .failure(let error) where error.isDisconnect && shard != nil && shard?.failure == nil:
            reads.repeatLater(read)
        case .failure(let error): read.done(.failure(error.storeError))
        }
        shard?.finishClosing()
    }

    /// Ends the reads of a shard that has failed.
    func endReads(of shard: PostgresShard) {
        for read in reads.removeReads(of: shard.number) {
            read.done(.failure(PostgresShard.outageError))
        }
    }

    // MARK: the connection

    private func connectionOpened() {
        mayWrite = owned.isEmpty
        if mayWrite {
            holdEnd = nil
            delegate?.storeIsConnected()
            pump()
        } else {
            resume()
        }
    }

    private func connectionFailed(_ error: PostgresError, after silence: Duration) {
        lastError = error
        mayWrite = false
        reads.connectionWasLost()
        let owned = owned
        if !owned.isEmpty, holdEnd == nil {
            let rest = max(.zero, hold - silence)
            holdEnd = ScopedCountdown(on: clock, rest) { [unowned self] in holdEnded() }
        }
        for shard in owned { shard.connectionWasLost(error) }
        delegate?.storeIsDisconnected(
            why: error.why, isFatal: owned.isEmpty && error.kind == .unsuitable)
    }

    private func holdEnded() {
        for shard in owned { shard.fail(.unknown(why: lastError.why)) }
        delegate?.holdHasEnded(why: lastError.why)
    }

    /// The present connection has new epochs for the shards.
    func hasResumed() {
        (mayWrite, holdEnd) = (true, nil)
        delegate?.storeHasResumed()
        pump()
    }

    /// Executes `work` after a time, unless another call of `runLater`, or a call of `stop`, comes first.
    func runLater(after time: Duration, _ work: @escaping () -> Void) {
        laterTimer = ScopedCountdown(on: clock, time, work)
    }
}

/// What a `PostgresStore` reports to the object that uses it. Called on the loop's thread.
public protocol PostgresStoreDelegate: AnyObject {
    /// There is a connection, and this process owns no shard.
    func storeIsConnected()
    /// There is no connection, and the store tries to connect. `isFatal` says whether an operator has to
    /// change something first.
    func storeIsDisconnected(why: String, isFatal: Bool)
    /// The store is connected again, and still owns its shards, except those that were reported as
    /// fenced.
    func storeHasResumed()
    /// There was no connection for the time `hold`: the outcomes of waiting batches are unknown.
    func holdHasEnded(why: String)
    /// This process is no longer the owner of a shard, and can store no rows in it. Either another process has acquired the
    /// shard, or rows of the shard were erased.
    func shardWasFenced(_ shard: Int)
}

extension PostgresStoreDelegate {
    public func holdHasEnded(why: String) {}
}
