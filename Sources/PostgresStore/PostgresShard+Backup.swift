internal import EventLoop
public import Journal

/// Backups, on a thread and a connection of their own. A backup contains all shards.
extension PostgresShard {
    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) {
        guard !store.isBackingUp else {
            return done(.failure(StoreError(.busy, why: "a backup is being made already")))
        }
        store.isBackingUp = true
        // A read after all batches: the copy contains what was appended before.
        read(PostgresCommand(text: "SELECT 1")) { [store] result in
            let done = { (result: Result<BackupFacts, StoreError>) in
                (store.isBackingUp, store.backupThread) = (false, nil)
                done(result)
            }
            if case .failure(let error) = result { return done(.failure(error)) }
            store.startBackup(path, notes, done)
        }
    }
}

extension PostgresStore {
    fileprivate func startBackup(
        _ path: String, _ notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void
    ) {
        do throws(EventLoopError) {
            let (inbox, watcher) = try makeWorkerInbox(done)
            backupThread = watcher
            try WorkerThread.start { [location] in
                do throws(PostgresError) {
                    let journal = try PostgresJournal(location)
                    inbox.send(journal.copy(to: path, notes: notes))
                } catch { inbox.send(.failure(error.storeError)) }
            }
        } catch { done(.failure(StoreError(.other, why: "\(error)"))) }
    }
}
