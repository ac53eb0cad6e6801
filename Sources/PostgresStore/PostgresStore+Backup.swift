internal import EventLoop
public import Journal

/// Backups, on a thread and a connection of their own.
extension PostgresStore {
    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) {
        guard backup == nil else {
            return done(.failure(StoreError(.busy, why: "a backup is being made already")))
        }
        // A read after all batches: the copy contains what was appended before.
        read(PostgresCommand(text: "SELECT 1")) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return done(.failure(error)) }
            startBackup(path, notes, done)
        }
    }

    private func startBackup(
        _ path: String, _ notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) {
        do throws(EventLoopError) {
            let (inbox, watcher) = try makeWorkerInbox {
                [weak self] (result: Result<BackupFacts, StoreError>) in
                self?.backup = nil
                done(result)
            }
            backup = watcher
            try WorkerThread.start { [location, shard] in
                do throws(PostgresError) {
                    let journal = try PostgresJournal(location, shard: Int(shard))
                    inbox.send(journal.copy(to: path, notes: notes))
                } catch { inbox.send(.failure(error.storeError)) }
            }
        } catch {
            backup = nil
            done(.failure(StoreError(.other, why: "\(error)")))
        }
    }
}
