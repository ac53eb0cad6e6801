internal import Journal
public import Sessions
internal import Timers

/// A shard that a process wants to acquire. `epoch` and `leaseEnd` (in microseconds of the database's clock) are the values
/// that the process has read from the shard's row; -1 accepts any values.
public struct ShardClaim: Equatable, Sendable {
    public let shard: Int
    let epoch: Int
    let leaseEnd: Int64

    /// The shard is acquired only if its row still has this epoch and this end of the lease.
    public init(_ shard: Int, epoch: Int, leaseEnd: Int64) {
        (self.shard, self.epoch, self.leaseEnd) = (shard, epoch, leaseEnd)
    }

    /// The shard is acquired if its lease has ended, even if its row has changed since it was read.
    public init(_ shard: Int) { self.init(shard, epoch: -1, leaseEnd: -1) }
}

/// Acquires shards, and remains their owner when the connection is replaced.
extension PostgresStore {
    /// Makes this process the owner of shards for the time of a lease. Each acquired shard gets a new epoch. Returns the epochs
    /// of the acquired shards. Does not acquire a shard if another process has a lease for it, or if the shard's row has
    /// changed. The caller renews the leases.
    public func acquire(
        _ claims: [ShardClaim], lease: Duration,
        _ done: @escaping (Result<[Int: Int], PostgresError>) -> Void
    ) {
        guard link.isConnected else {
            return done(.failure(PostgresError(.disconnected, lastError.why)))
        }
        let numbers = claims.map { Int32(clamping: $0.shard) }
        let command = PostgresCommand(
            .acquire,
            [
                .int4s(numbers), .text(owner), .int8(Int(lease.milliseconds)),
                .int8s(claims.map(\.epoch)), .int8s(claims.map { Int($0.leaseEnd) }),
            ])
        link.execute([command]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let results):
                let epochs = Self.numbersByShard(results.first)
                for (shard, epoch) in epochs { self.shard(shard).wasAcquired(under: epoch) }
                done(.success(epochs))
                pump()
            case .failure(let error) where error.sqlState == PostgresError.SQLState.lockNotAvailable:
                endWriters(numbers)
                done(.success([:]))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// The numbers in the second column (epochs or checksums), by the shards in the first column.
    private static func numbersByShard(_ result: PostgresResult?) -> [Int: Int] {
        let pairs = (0..<(result?.count ?? 0)).map { row in
            (result?.integer(row, 0) ?? -1, result?.integer(row, 1) ?? 0)
        }
        return Dictionary(pairs) { $1 }
    }

    /// Gives the shards new epochs for the present connection. The database then refuses statements from earlier connections.
    /// Also reads whether the interrupted append was executed. The interrupted append is the append that was on its way when
    /// the connection was lost.
    func resume() {
        guard link.isConnected else { return }
        let owned = owned
        let lastRows = writes.inFlight.compactMap { part in
            part.rows.last.map { (part.shard, $0.journalPosition) }
        }
        let commands = [
            resumeCommand(owned),
            PostgresCommand(
                .checksums, [.int4s(lastRows.map(\.0)), .int8s(lastRows.map(\.1.position))]),
        ]
        link.execute(commands) { [weak self] in self?.resumed(owned, $0) }
    }

    private func resumeCommand(_ shards: [PostgresShard]) -> PostgresCommand {
        PostgresCommand(
            .resume,
            [.int4s(shards.map(\.number)), .text(owner), .int8s(shards.map { $0.epoch ?? 0 })])
    }

    private func resumed(_ shards: [PostgresShard], _ result: PostgresConnection.GroupResult) {
        switch result {
        case .success(let results):
            let epochs = Self.numbersByShard(results.first)
            let checksums = Self.numbersByShard(results.last)
            for shard in shards where shard.failure == nil {
                guard let epoch = epochs[Int(shard.number)] else {
                    shard.loseOwnership()
                    continue
                }
                shard.epoch = epoch
            }
            endInterruptedAppend(checksums: checksums)
            hasResumed()
        case .failure(let error) where error.isDisconnect: break
        case .failure(let error) where error.sqlState == PostgresError.SQLState.lockNotAvailable:
            endWriters(shards.map(\.number))
            runLater(after: .milliseconds(100)) { [unowned self] in resume() }
        case .failure(let error):
            for shard in shards { shard.fail(.unknown(why: error.why)) }
            hasResumed()
        }
    }

    /// Ends connections to PostgreSQL that could still hold a lock on one of the shards. These are connections of owners whose
    /// leases have ended, and earlier connections of this process. Their epochs no longer permit them to write.
    private func endWriters(_ shards: [Int32]) {
        link.execute([PostgresCommand(.endWriters, [.int4s(shards), .text(owner)])]) {
            _ in
        }
    }

    // MARK: after a failure

    /// Takes a new epoch for a shard that has failed, and removes its rows after `last`, the newest durable row. Calls `done`
    /// with nil, or with the reason of a failure.
    func recover(
        _ shard: PostgresShard, keeping last: JournalPosition,
        _ done: @escaping (_ why: String?) -> Void
    ) {
        guard link.isConnected, mayWrite else { return done(lastError.why) }
        let commands = [
            resumeCommand([shard]),
            PostgresCommand(.checksums, [.int4s([shard.number]), .int8s([last.position])]),
        ]
        link.execute(commands) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let results):
                guard let epoch = results.first?.integer(0, 1) else {
                    shard.loseOwnership()
                    return done(PostgresShard.fencedReason)
                }
                shard.epoch = epoch
                guard last == .start || results.last?.integer(0, 1) == Int(last.checksum) else {
                    return done("row \(last.position) is not in the database, or has changed")
                }
                removeRows(of: shard, after: last, epoch, done)
            case .failure(let error):
                if error.sqlState == PostgresError.SQLState.lockNotAvailable {
                    endWriters([shard.number])
                }
                done(error.why)
            }
        }
    }

    /// Removes the rows after `last`: they are of appends that were not acknowledged. The database removes nothing if the
    /// shard no longer has the epoch, because then another process may have written the rows.
    private func removeRows(
        of shard: PostgresShard, after last: JournalPosition, _ epoch: Int,
        _ done: @escaping (_ why: String?) -> Void
    ) {
        guard link.isConnected else { return done(lastError.why) }
        let command = PostgresCommand(
            .removeAfter, [.int4(shard.number), .int8(epoch), .int8(last.position)])
        link.execute([command]) { [weak self] result in
            switch result {
            case .success:
                shard.failure = nil
                done(nil)
                self?.pump()
            case .failure(let error): done(error.why)
            }
        }
    }
}

extension PostgresShard {
    /// This process has acquired the shard.
    func wasAcquired(under epoch: Int) { (self.epoch, isFenced, failure) = (epoch, false, nil) }

    public func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void) {
        guard failure != nil else { return done("the store has not failed") }
        guard !isFenced, epoch != nil else { return done(Self.fencedReason) }
        store.recover(self, keeping: last, done)
    }
}
