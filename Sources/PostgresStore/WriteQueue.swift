internal import Journal

/// The rows of a `PostgresStore` that are not known to be durable. These are the rows of the append that was sent, and the rows
/// that gather for the next append.
///
/// An append is one transaction, with a part for each shard. The rows of one call of `add` are a batch.
struct WriteQueue {
    /// The callback of a batch. Receives whether the rows are durable.
    typealias Done = (StoreOutcome) -> Void

    /// Batches of one shard that are written together.
    struct Part {
        let shard: Int32
        var rows: [JournalRow] = []
        /// The callbacks of the batches.
        var done: [Done] = []
    }

    /// The parts of the append whose outcome is awaited.
    private(set) var inFlight: [Part] = []
    /// The parts of the next append.
    private var gathered: [Part] = []
    /// The index in `gathered` of each shard's part.
    private var partIndices: [Int32: Int] = [:]
    /// The number of appends that were sent.
    private(set) var sentCount = 0

    /// The number of rows that gather for the next append.
    private(set) var gatheredRows = 0

    /// The number of the append with the newest rows. This is the next append if rows gather for it, otherwise the append that
    /// was sent last. A read that must see all rows waits until this append was sent.
    var newestAppend: Int { gathered.isEmpty ? sentCount : sentCount + 1 }

    /// Whether all rows of the appends up to the number `append` were sent. Also true for an append that will never be sent,
    /// because `removeRows(of:)` removed all of its rows.
    func hasSent(_ append: Int) -> Bool { gathered.isEmpty || append <= sentCount }

    /// Whether no row of a shard waits to be sent or to become durable.
    func isEmpty(_ shard: Int32) -> Bool {
        partIndices[shard] == nil && !inFlight.contains { $0.shard == shard }
    }

    /// Adds a batch of a shard to the next append.
    mutating func add(_ rows: [JournalRow], of shard: Int32, _ done: @escaping Done) {
        gatheredRows += rows.count
        if let index = partIndices[shard] {
            gathered[index].rows += rows
            gathered[index].done.append(done)
        } else {
            partIndices[shard] = gathered.count
            gathered.append(Part(shard: shard, rows: rows, done: [done]))
        }
    }

    /// Begins the next append, and returns its parts, which the caller must send. Empty while an append is on its way, and if
    /// no row waits.
    mutating func beginAppend() -> [Part] {
        guard inFlight.isEmpty, !gathered.isEmpty else { return [] }
        inFlight = exchange(&gathered, with: [])
        (partIndices, gatheredRows) = ([:], 0)
        sentCount += 1
        return inFlight
    }

    /// Ends the append that was sent. Returns its parts, except those that `removeRows(of:)` has removed.
    mutating func endAppend() -> [Part] { exchange(&inFlight, with: []) }

    /// Puts back parts of an append that were not executed. The next append sends them again, before the rows that were added
    /// in the meantime.
    mutating func requeue(_ parts: [Part]) {
        guard !parts.isEmpty else { return }
        let newerParts = exchange(&gathered, with: parts)
        partIndices = Dictionary(
            parts.indices.map { (parts[$0].shard, $0) }, uniquingKeysWith: { first, _ in first })
        sentCount -= 1
        gatheredRows += parts.reduce(0) { $0 + $1.rows.count }
        for part in newerParts {
            if let index = partIndices[part.shard] {
                gathered[index].rows += part.rows
                gathered[index].done += part.done
            } else {
                partIndices[part.shard] = gathered.count
                gathered.append(part)
            }
        }
    }

    /// Forgets the rows of a shard. Returns the callbacks that wait for the append that was sent, and the
    /// other callbacks.
    mutating func removeRows(of shard: Int32) -> (sent: [Done], unsent: [Done]) {
        let sent = inFlight.filter { $0.shard == shard }.flatMap(\.done)
        inFlight.removeAll { $0.shard == shard }
        let part = partIndices[shard].map { gathered.remove(at: $0) }
        gatheredRows -= part?.rows.count ?? 0
        let unsent = part?.done ?? []
        partIndices = Dictionary(
            gathered.indices.map { (gathered[$0].shard, $0) },
            uniquingKeysWith: { first, _ in first })
        return (sent, unsent)
    }
}
