internal import Journal
internal import Support

/// A statement that reads, with the callback for its result.
struct StoreRead {
    let shard: Int32
    let command: PostgresCommand
    /// The number of the append that must be sent before the read.
    let append: Int
    let done: (Result<PostgresResult, StoreError>) -> Void
}

/// The reads that wait to be sent, and those whose results are awaited.
struct ReadQueue {
    private var unsent = Deque<StoreRead>()
    private var sent = Deque<StoreRead>()
    /// Reads of a lost connection, which are sent again before all other reads.
    private var repeated: [StoreRead] = []

    mutating func add(_ read: StoreRead) { unsent.append(read) }

    /// Moves the next read to those that were sent, and returns it; nil unless `isReady` returns true for
    /// the append that precedes the read.
    mutating func next(if isReady: (Int) -> Bool) -> StoreRead? {
        guard let read = unsent.first, isReady(read.append) else { return nil }
        _ = unsent.removeFirst()
        sent.append(read)
        return read
    }

    /// Removes the oldest read that was sent, because its result has arrived.
    mutating func removeOldestSent() { _ = sent.removeFirst() }

    /// The result of a read will not arrive, because the connection was lost. The read is sent again over the next connection.
    mutating func repeatLater(_ read: StoreRead) { repeated.append(read) }

    /// Puts the reads that are to be repeated before all unsent reads. Call this after `repeatLater` was called for all reads
    /// of the lost connection.
    mutating func connectionWasLost() {
        guard !repeated.isEmpty else { return }
        var reads = Deque<StoreRead>()
        for read in exchange(&repeated, with: []) { reads.append(read) }
        while let read = unsent.removeFirst() { reads.append(read) }
        unsent = reads
    }

    /// Removes and returns the reads of a shard that wait to be sent.
    mutating func remove(_ shard: Int32) -> [StoreRead] {
        var (remaining, removed) = (Deque<StoreRead>(), repeated.filter { $0.shard == shard })
        repeated.removeAll { $0.shard == shard }
        while let read = unsent.removeFirst() {
            if read.shard == shard { removed.append(read) } else { remaining.append(read) }
        }
        unsent = remaining
        return removed
    }
}
