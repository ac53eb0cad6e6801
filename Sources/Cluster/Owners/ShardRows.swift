import Durability
package import Journal
package import PostgresStore
package import Shards

/// The rows of a shard that this node has acquired, from which the sessions are restored.
package struct ShardRows {
    package let store: PostgresShard
    package let notes: StoreNotes
    /// The content of the rows from which the sessions are restored, and the newest high-water mark of the previous owner.
    let ownedRows: OwnedRows

    /// What a `Shard` is restored from. The removal of old rows is held if an earlier owner has noted that the clock may be wrong.
    package var restored: RestoredRows {
        RestoredRows(
            ReadRows(
                content: ownedRows.reading.content(), times: ownedRows.reading.times,
                lastAlive: ownedRows.lastAlive, count: ownedRows.reading.scan.count,
                holdsPruning: notes.values[StateDirectory.heldNote] != nil), in: store)
    }

    /// Reads all rows of a shard, in order. `rememberedAnswers` is the number of newest answers that are kept for the
    /// idempotency cache.
    package static func read(
        _ store: PostgresShard, rememberedAnswers: Int,
        _ done: @escaping (Result<ShardRows, StoreError>) -> Void
    ) {
        store.notes { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let notes):
                OwnedRows(
                    prunedUpTo: notes.pruned, answerLimit: rememberedAnswers, mark: notes.mark
                )
                .readAll(of: store) { result in
                    done(result.map { ShardRows(store: store, notes: notes, ownedRows: $0) })
                }
            }
        }
    }
}
