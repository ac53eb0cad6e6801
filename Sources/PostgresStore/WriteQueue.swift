internal import Journal

/// The batches that are not known to be durable: those of the append that was sent, and those that
/// gather for the next one.
struct WriteQueue {
    /// Batches that are written together.
    struct Batch {
        var rows: [JournalRow] = []
        var done: [(StoreOutcome) -> Void] = []
    }

    /// The append whose outcome is awaited.
    private(set) var inFlight: Batch?
    private var gathered = Batch()
    /// How many batches were added, and how many of them were sent.
    private(set) var (added, sent) = (0, 0)

    var isEmpty: Bool { inFlight == nil && gathered.done.isEmpty }

    mutating func add(_ rows: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        gathered.rows += rows
        gathered.done.append(done)
        added += 1
    }

    /// What is to be sent now; nil while an append is on its way, or if nothing waits.
    mutating func next() -> Batch? {
        guard inFlight == nil, !gathered.done.isEmpty else { return nil }
        let batch = exchange(&gathered, with: Batch())
        inFlight = batch
        sent = added
        return batch
    }

    /// The append is durable; those who wait for it.
    mutating func settle() -> [(StoreOutcome) -> Void] {
        exchange(&inFlight, with: nil)?.done ?? []
    }

    /// The append was not executed: its rows are sent again, before those that were added since.
    mutating func repeatInFlight() {
        guard var batch = exchange(&inFlight, with: nil) else { return }
        sent = added - gathered.done.count - batch.done.count
        batch.rows += gathered.rows
        batch.done += gathered.done
        gathered = batch
    }

    /// Forgets everything; those who wait for the append that was sent, and the others.
    mutating func removeAll() -> (sent: [(StoreOutcome) -> Void], unsent: [(StoreOutcome) -> Void])
    {
        let sent = exchange(&inFlight, with: nil)?.done ?? []
        let unsent = exchange(&gathered, with: Batch()).done
        self.sent = added
        return (sent, unsent)
    }
}
