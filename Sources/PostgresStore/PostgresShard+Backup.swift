internal import EventLoop
public import Journal

/// The database from which the thread of a backup reads, the kind of journal that it writes, and the loop that gets the result.
package struct BackupSource {
    let location: PostgresLocation
    let kind: any LocalJournal.Type
    let loop: LibeventLoop
}

/// Backups, on a thread and a connection of their own. A backup contains all shards.
extension PostgresShard {
    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) {
        guard !store.isBackingUp else {
            return done(.failure(StoreError(.busy, why: "a backup is being made already")))
        }
        guard let source = store.backups else {
            return done(.failure(StoreError(.other, why: "this store has no server to copy from")))
        }
        store.isBackingUp = true
        // This read waits for the appended batches, so that the copy contains them.
        read(PostgresCommand(text: "SELECT 1")) { [store] result in
            let finish = { (result: Result<BackupSummary, StoreError>) in
                (store.isBackingUp, store.backupThread) = (false, nil)
                done(result)
            }
            if case .failure(let error) = result { return finish(.failure(error)) }
            store.startBackup(from: source, path, notes, finish)
        }
    }
}

extension PostgresStore {
    fileprivate func startBackup(
        from source: BackupSource, _ path: String, _ notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) {
        do throws(EventLoopError) {
            let inbox = try ThreadInbox<Result<BackupSummary, StoreError>>()
            backupThread = try inbox.open(on: source.loop, done)
            try WorkerThread.start { [location = source.location, kind = source.kind] in
                do throws(PostgresError) {
                    let journal = try PostgresJournal(location)
                    inbox.send(journal.copy(to: path, as: kind, notes: notes))
                } catch { inbox.send(.failure(error.storeError)) }
            }
        } catch { done(.failure(StoreError(.other, why: "\(error)"))) }
    }
}
