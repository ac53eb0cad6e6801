internal import Journal
public import Sessions
internal import Timers

/// Becoming the owner, and remaining it when the connection changes.
extension PostgresStore {
    /// Makes this process the owner for the time of a lease, with a new epoch. Calls `done` with
    /// false if another process has a lease, or if the shard is not as it was `seen`, with that epoch
    /// and that end of the lease. The caller renews the lease.
    public func acquire(
        lease: Duration, seen: (epoch: Int, leaseEnd: Int64)? = nil,
        _ done: @escaping (Result<Bool, PostgresError>) -> Void
    ) {
        guard let connection = link.connection else {
            return done(.failure(PostgresError(.disconnected, disconnection)))
        }
        let command = PostgresCommand(
            .acquire,
            [
                .int4(shard), .text(owner), .int8(Int(lease.milliseconds)),
                .int8(seen?.epoch ?? -1), .int8(Int(seen?.leaseEnd ?? -1)),
            ])
        connection.execute([command]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let results):
                guard let epoch = results.first?.integer(0, 0) else { return done(.success(false)) }
                (self.epoch, isFenced, mayWrite) = (epoch, false, true)
                done(.success(true))
                pump()
            case .failure(let error) where error.sqlState == PostgresError.SQLState.lockNotAvailable:
                endWriter()
                done(.success(false))
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// Makes the present connection the writer: whatever an earlier one still sends is refused from
    /// then on. Reads whether the append that was on its way was executed.
    func resume() {
        guard let connection = link.connection, let epoch else { return }
        let last = writes.inFlight?.rows.last?.mark ?? .start
        let commands = resumeCommands(epoch, last)
        connection.execute(commands) { [weak self] in self?.resumed(last, $0) }
    }

    private func resumeCommands(_ epoch: Int, _ last: JournalPosition) -> [PostgresCommand] {
        [
            PostgresCommand(.resume, [.int4(shard), .text(owner), .int8(epoch)]),
            PostgresCommand(.row, [.int4(shard), .int8(last.position)]),
        ]
    }

    private func resumed(_ last: JournalPosition, _ result: PostgresConnection.GroupResult) {
        guard failure == nil else { return }
        switch result {
        case .success(let results):
            guard let epoch = results.first?.integer(0, 0) else { return loseOwnership() }
            (self.epoch, mayWrite, holdEnd) = (epoch, true, nil)
            if last != .start {
                if results.last?.integer(0, 0) == Int(last.checksum) {
                    settleWrite()
                } else {
                    writes.repeatInFlight()
                }
            }
            delegate?.storeHasResumed()
            pump()
        case .failure(let error) where error.isDisconnect: break
        case .failure(let error) where error.sqlState == PostgresError.SQLState.lockNotAvailable:
            endWriter()
            wait(.milliseconds(100)) { [unowned self] in resume() }
        case .failure(let error): fail(.unknown(why: error.message))
        }
    }

    /// Ends the earlier owner's session, which holds a lock on the shard although it may not write
    /// any more.
    private func endWriter() {
        link.connection?.execute([PostgresCommand(.endWriter, [.int4(shard), .text(owner)])]) { _ in
        }
    }

    // MARK: after a failure

    public func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void) {
        guard failure != nil else { return done("the store has not failed") }
        guard !isFenced, let epoch else { return done(Self.fencedOut) }
        guard let connection = link.connection else { return done(disconnection) }
        connection.execute(resumeCommands(epoch, last)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let results):
                guard let epoch = results.first?.integer(0, 0) else {
                    (isFenced, self.epoch) = (true, nil)
                    done(Self.fencedOut)
                    delegate?.storeWasFenced()
                    return
                }
                self.epoch = epoch
                let checksum = results.last?.integer(0, 0)
                guard last == .start || checksum == Int(last.checksum) else {
                    return done("row \(last.position) is not in the database, or has changed")
                }
                removeRows(after: last, epoch, done)
            case .failure(let error):
                if error.sqlState == PostgresError.SQLState.lockNotAvailable { endWriter() }
                done(error.message)
            }
        }
    }

    /// Removes the rows of appends that were not acknowledged. This process is the only one that
    /// may write under the epoch.
    private func removeRows(
        after last: JournalPosition, _ epoch: Int, _ done: @escaping (_ why: String?) -> Void
    ) {
        guard let connection = link.connection else { return done(disconnection) }
        let command = PostgresCommand(
            .removeAfter, [.int4(shard), .int8(epoch), .int8(last.position)])
        connection.execute([command]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success:
                (failure, mayWrite, holdEnd) = (nil, true, nil)
                delegate?.storeHasResumed()
                done(nil)
                pump()
            case .failure(let error): done(error.message)
            }
        }
    }
}
