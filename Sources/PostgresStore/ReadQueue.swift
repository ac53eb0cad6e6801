internal import Journal
internal import Support

/// A statement that reads, with the callback for its result.
struct StoreRead {
    /// The number of the shard whose rows are read.
    let shard: Int32
    let command: PostgresCommand
    /// The number of the append (a transaction that adds rows, see `WriteQueue`) that must be sent before the read.
    let precedingAppend: Int
    /// Called once with the result, on the thread of the store.
    let done: (Result<PostgresResult, StoreError>) -> Void
}

/// The reads of a `PostgresStore`: reads that wait to be sent, and reads that were sent and wait for their results. Results
/// arrive in the order in which the reads were sent.
struct ReadQueue {
    private var unsent = Deque<StoreRead>()
    private var sent = Deque<StoreRead>()
    /// Reads of a lost connection, which are sent again before all other reads.
    private var readsToRepeat: [StoreRead] = []

    mutating func add(_ read: StoreRead) { unsent.append(read) }

    /// Counts the next read among those that were sent, and returns it; the caller must send it. Nil if no read waits, or if
    /// `wasSent` returns false for the number of the append that must precede the read.
    mutating func next(if wasSent: (_ append: Int) -> Bool) -> StoreRead? {
        guard let read = unsent.first, wasSent(read.precedingAppend) else { return nil }
        _ = unsent.removeFirst()
        sent.append(read)
        return read
    }

    /// Removes the oldest read that was sent, because its result has arrived or can no longer arrive.
    mutating func removeOldestSent() { _ = sent.removeFirst() }

    /// The result of a read will not arrive, because the connection was lost. The read is sent again over the next connection.
    mutating func repeatLater(_ read: StoreRead) { readsToRepeat.append(read) }

    /// Puts the reads that are to be repeated before all unsent reads. Call this after `repeatLater` was called for all reads
    /// of the lost connection.
    mutating func connectionWasLost() {
        guard !readsToRepeat.isEmpty else { return }
        var reads = Deque<StoreRead>()
        for read in exchange(&readsToRepeat, with: []) { reads.append(read) }
        while let read = unsent.removeFirst() { reads.append(read) }
        unsent = reads
    }

    /// Removes and returns the reads of a shard that wait to be sent, for the first time or again.
    mutating func removeReads(of shard: Int32) -> [StoreRead] {
        var remaining = Deque<StoreRead>()
        var removed = readsToRepeat.filter { $0.shard == shard }
        readsToRepeat.removeAll { $0.shard == shard }
        while let read = unsent.removeFirst() {
            if read.shard == shard { removed.append(read) } else { remaining.append(read) }
        }
        unsent = remaining
        return removed
    }
}
