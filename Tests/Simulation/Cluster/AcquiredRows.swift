import Durability
import Journal
import PostgresStore
import Sessions

/// The rows of a shard that a process has acquired, read as `ShardRows` reads them.
struct AcquiredRows {
    let store: PostgresShard
    let owned: OwnedRows

    /// The number of rows that one query reads. This number is small, so that most shards need several queries.
    private static let rowsPerStep = 40

    /// Reads all rows of the shard. With an injected fault, `early` contains rows that were read before the shard was acquired.
    /// In this case, these rows are used, and no rows are read. Without the fault, `early` is nil.
    static func read(
        _ store: PostgresShard, _ early: [JournalRow]?,
        _ done: @escaping (Result<AcquiredRows, StoreError>) -> Void
    ) {
        store.notes { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let notes):
                var owned = OwnedRows(
                    prunedUpTo: notes.pruned, answerLimit: Limits().ids, mark: notes.mark)
                guard let early else {
                    return owned.readAll(of: store, rowsPerStep: rowsPerStep) { result in
                        done(result.map { AcquiredRows(store: store, owned: $0) })
                    }
                }
                owned.add(early)
                done(.success(AcquiredRows(store: store, owned: owned)))
            }
        }
    }

    /// Checks that the rows reach the newest mark and that none is missing. The daemon would not serve a shard otherwise.
    func check(_ shard: Int) throws(InvariantViolation) {
        let (scan, mark) = (owned.reading.scan, owned.mark?.position ?? 0)
        try expect(
            mark <= scan.newestPosition && scan.lost == 0,
            "shard \(shard) has the mark \(mark), but ends at row \(scan.newestPosition) and lacks \(scan.lost) rows"
        )
    }
}
