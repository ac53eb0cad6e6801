import Durability
import Journal
import PostgresStore
import Sessions
import Timers

/// The rows of a shard that this node has acquired.
struct ShardRows {
    let store: PostgresShard
    let notes: StoreNotes
    fileprivate(set) var reading: JournalReading

    /// The last time at which an owner is known to have run; nil if none ever ran.
    var lastAlive: Instant? {
        guard reading.scan.count > 0 else { return nil }
        return max(reading.latestTime, Instant(nanoseconds: notes.mark?.atNs ?? 0))
    }

    private static let rowsPerStep = 4000

    /// Reads all rows of a shard, in order.
    static func read(
        _ store: PostgresShard, answers: Int,
        _ done: @escaping (Result<ShardRows, StoreError>) -> Void
    ) {
        store.notes { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let notes):
                let reading = JournalReading(pruned: notes.pruned, answers: answers)
                let rows = ShardRows(store: store, notes: notes, reading: reading)
                rows.readOn(after: 0, done)
            }
        }
    }

    private func readOn(
        after position: Int, _ done: @escaping (Result<ShardRows, StoreError>) -> Void
    ) {
        store.walk(after: position, limit: Self.rowsPerStep) { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let rows):
                var next = self
                for row in rows { next.reading.add(row) }
                guard rows.count == Self.rowsPerStep, let last = rows.last else {
                    return done(.success(next))
                }
                // A row whose position is damaged must not lead back.
                next.readOn(after: max(position + 1, last.position), done)
            }
        }
    }
}
