internal import Journal
internal import Support

/// A statement whose result is wanted.
struct StoreRead {
    let command: PostgresCommand
    /// How many batches had been added before: they are written first.
    let written: Int
    let done: (Result<PostgresResult, StoreError>) -> Void
}

/// The reads that wait to be sent, and those whose results are awaited.
struct ReadQueue {
    private var unsent = Deque<StoreRead>()
    private var sent = Deque<StoreRead>()
    /// Reads of a lost connection, which are sent again before all others.
    private var repeated: [StoreRead] = []

    var isEmpty: Bool { unsent.isEmpty && sent.isEmpty && repeated.isEmpty }

    mutating func add(_ read: StoreRead) { unsent.append(read) }

    /// The next read that may be sent after so many batches were.
    mutating func next(written: Int) -> StoreRead? {
        guard let read = unsent.first, read.written <= written else { return nil }
        _ = unsent.removeFirst()
        sent.append(read)
        return read
    }

    /// The result of the oldest read that was sent has arrived; nil if nobody waits for it any more.
    mutating func settle() -> StoreRead? { sent.removeFirst() }

    /// The result of a read will not arrive.
    mutating func repeatLater(_ read: StoreRead) { repeated.append(read) }

    /// All results of the lost connection were reported.
    mutating func connectionWasLost() {
        guard !repeated.isEmpty else { return }
        var reads = Deque<StoreRead>()
        for read in exchange(&repeated, with: []) { reads.append(read) }
        while let read = unsent.removeFirst() { reads.append(read) }
        unsent = reads
    }

    mutating func removeAll() -> [StoreRead] {
        var all = exchange(&repeated, with: [])
        while let read = sent.removeFirst() ?? unsent.removeFirst() { all.append(read) }
        return all
    }
}
