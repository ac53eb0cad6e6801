internal import Journal

/// The rows that are not known to be durable: those of the append that was sent, and those that
/// gather for the next one. An append has a part for each shard.
struct WriteQueue {
    typealias Done = (StoreOutcome) -> Void

    /// Batches of one shard that are written together.
    struct Part {
        let shard: Int32
        var rows: [JournalRow] = []
        var done: [Done] = []
    }

    /// The parts of the append whose outcome is awaited.
    private(set) var inFlight: [Part] = []
    private var gathered: [Part] = []
    /// The index in `gathered` of each shard's part.
    private var places: [Int32: Int] = [:]
    /// How many appends were sent. What is read after rows were added waits for the append with
    /// those rows, whose number is `next`.
    private(set) var sent = 0

    /// The number of rows that gather for the next append.
    private(set) var gatheredRows = 0

    /// The number of the append that the rows gathered at present belong to.
    var next: Int { gathered.isEmpty ? sent : sent + 1 }

    /// Whether everything up to that append was sent.
    func hasSent(_ number: Int) -> Bool { gathered.isEmpty || number <= sent }

    /// Whether no row of a shard waits.
    func isEmpty(_ shard: Int32) -> Bool {
        places[shard] == nil && !inFlight.contains { $0.shard == shard }
    }

    mutating func add(_ rows: [JournalRow], of shard: Int32, _ done: @escaping Done) {
        gatheredRows += rows.count
        if let place = places[shard] {
            gathered[place].rows += rows
            gathered[place].done.append(done)
        } else {
            places[shard] = gathered.count
            gathered.append(Part(shard: shard, rows: rows, done: [done]))
        }
    }

    /// The parts to send now; empty while an append is on its way, or if no row waits.
    mutating func takeNext() -> [Part] {
        guard inFlight.isEmpty, !gathered.isEmpty else { return [] }
        inFlight = exchange(&gathered, with: [])
        (places, gatheredRows) = ([:], 0)
        sent += 1
        return inFlight
    }

    /// The append has ended: its parts, except those that were removed since.
    mutating func settle() -> [Part] { exchange(&inFlight, with: []) }

    /// These parts of the append were not executed: they are sent again, before what was added
    /// since.
    mutating func sendAgain(_ parts: [Part]) {
        guard !parts.isEmpty else { return }
        let later = exchange(&gathered, with: parts)
        places = Dictionary(
            parts.indices.map { (parts[$0].shard, $0) }, uniquingKeysWith: { first, _ in first })
        sent -= 1
        gatheredRows += parts.reduce(0) { $0 + $1.rows.count }
        for part in later {
            if let place = places[part.shard] {
                gathered[place].rows += part.rows
                gathered[place].done += part.done
            } else {
                places[part.shard] = gathered.count
                gathered.append(part)
            }
        }
    }

    /// Forgets the rows of a shard; those who wait for the append that was sent, and the others.
    mutating func remove(_ shard: Int32) -> (sent: [Done], unsent: [Done]) {
        let sent = inFlight.filter { $0.shard == shard }.flatMap(\.done)
        inFlight.removeAll { $0.shard == shard }
        let part = places[shard].map { gathered.remove(at: $0) }
        gatheredRows -= part?.rows.count ?? 0
        let unsent = part?.done ?? []
        places = Dictionary(
            gathered.indices.map { (gathered[$0].shard, $0) },
            uniquingKeysWith: { first, _ in first })
        return (sent, unsent)
    }
}
