public import Journal
public import Timers

/// The rows of a store of which this process has become the owner, in order, and the last mark of an earlier owner.
public struct OwnedRows {
    public private(set) var reading: JournalReading
    public let mark: HighWaterMark?

    /// Prepares to read; `add` takes the rows. `pruned` and `answers` are those of `JournalReading`.
    public init(pruned: Int, answers: Int, mark: HighWaterMark?) {
        reading = JournalReading(pruned: pruned, answers: answers)
        self.mark = mark
    }

    public mutating func add(_ rows: [JournalRow]) { for row in rows { reading.add(row) } }

    /// The last time at which an owner is known to have run; nil if none ever ran.
    public var lastAlive: Instant? {
        guard reading.scan.count > 0 else { return nil }
        return max(reading.latestTime, Instant(nanoseconds: mark?.atNs ?? 0))
    }

    /// Until when the last owner, which has released the store, has fired its timers. Nil if this process, which takes part
    /// since `began`, did not run then: without a process that could take the store over, its release was the end of the last
    /// one.
    public func handedOver(since began: Instant?) -> Instant? {
        guard let mark, let began else { return nil }
        let instant = Instant(nanoseconds: mark.atNs)
        return instant >= began ? instant : nil
    }

    /// Adds all rows of the store, which is read in steps of that many rows, and calls `done` once.
    public func readAll(
        of store: any Store, rowsPerStep: Int = 4000,
        _ done: @escaping (Result<OwnedRows, StoreError>) -> Void
    ) { readOn(in: store, after: 0, rowsPerStep, done) }

    private func readOn(
        in store: any Store, after position: Int, _ rowsPerStep: Int,
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
                // A row whose position is damaged must not lead back.
                next.readOn(
                    in: store, after: max(position + 1, last.position), rowsPerStep, done)
            }
        }
    }
}
