import Durability
import Journal
import PostgresStore

/// The rows of a shard that this node has acquired.
struct ShardRows {
    let store: PostgresShard
    let notes: StoreNotes
    let owned: OwnedRows

    /// Reads all rows of a shard, in order.
    static func read(
        _ store: PostgresShard, answers: Int,
        _ done: @escaping (Result<ShardRows, StoreError>) -> Void
    ) {
        store.notes { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let notes):
                OwnedRows(pruned: notes.pruned, answers: answers, mark: notes.mark)
                    .readAll(of: store) { result in
                        done(result.map { ShardRows(store: store, notes: notes, owned: $0) })
                    }
            }
        }
    }
}
