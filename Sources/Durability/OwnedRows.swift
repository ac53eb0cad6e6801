public import Journal
public import Timers

/// The rows of a store that this process now owns, and the newest high-water mark of the previous owner.
public struct OwnedRows {
    /// The rows that were read so far.
    public private(set) var reading: JournalReading
    /// The mark of the previous owner. It contains the last time at which that owner is known to have run. Nil if there was no
    /// previous owner.
    public let mark: HighWaterMark?

    /// Prepares to read the rows with `readAll` or `add`. Rows up to `pruned` were removed. `answerLimit` is the number of
    /// answers to requests with an id that the owner remembers.
    public init(prunedUpTo pruned: Int, answerLimit: Int, mark: HighWaterMark?) {
        reading = JournalReading(prunedUpTo: pruned, answerLimit: answerLimit)
        self.mark = mark
    }

    /// Adds the next rows, in order.
    public mutating func add(_ rows: [JournalRow]) { for row in rows { reading.add(row) } }

    /// The last time at which an owner of the store is known to have run; nil if the store has no rows.
    public var lastAlive: Instant? {
        guard reading.scan.count > 0 else { return nil }
        return max(reading.latestTime, Instant(nanoseconds: mark?.atNs ?? 0))
    }

    /// The instant until which the previous owner fired timers, if it has released the store to this process.
    ///
    /// `joinTime` is the instant from which this process was able to take stores over. The result is nil if the previous owner
    /// released the store before `joinTime`: perhaps no process owned the store in between, and the timers stood still.
    public func handOverInstant(since joinTime: Instant?) -> Instant? {
        guard let mark, let joinTime else { return nil }
        let instant = Instant(nanoseconds: mark.atNs)
        return instant >= joinTime ? instant : nil
    }

    /// Reads all rows of the store in steps of `rowsPerStep` rows, and calls `done` once with the result.
    public func readAll(
        of store: any Store, rowsPerStep: Int = 4000,
        _ done: @escaping (Result<OwnedRows, StoreError>) -> Void
    ) { readStep(of: store, after: 0, rowsPerStep, done) }

    /// Reads the next `rowsPerStep` rows after `position`, and then the remaining ones.
    private func readStep(
        of store: any Store, after position: Int, _ rowsPerStep: Int,
        _ done: @escaping (Result<OwnedRows, StoreError>) -> Void
    ) {
        store.walk(after: position, limit: rowsPerStep) { result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let rows):
                var next = self
                next.add(rows)
                guard rows.count == rowsPerStep, let last = rows.last else {
                    return done(.success(next))
                }
                // A damaged position must not make the reading go back.
                next.readStep(
                    of: store, after: max(position + 1, last.position), rowsPerStep, done)
            }
        }
    }
}
