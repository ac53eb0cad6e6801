import Journal
import Sessions

/// A store in memory whose commits and recoveries are completed by the test.
final class ManualStore: MemoryStore {
    private(set) var batches: [(rows: [JournalRow], done: (StoreOutcome) -> Void)] = []
    private(set) var recovery: (keeping: JournalPosition, done: (String?) -> Void)?
    private var isBroken = false

    override func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if isBroken { return done(.lost(why: "disk I/O error")) }
        batches.append((batch, done))
    }

    override func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    {
        recovery = (last, done)
    }

    /// Commits the pending batches.
    func commit() {
        for (batch, done) in exchange(&batches, with: []) {
            insert(batch)
            done(.durable)
        }
    }

    /// Fails the pending batches with an unknown outcome, and refuses further ones until a recovery.
    func fail() {
        isBroken = true
        for (_, done) in exchange(&batches, with: []) { done(.unknown(why: "disk I/O error")) }
    }

    /// Completes the pending attempt to recover; `works` says whether the store can be used again.
    func completeRecovery(works: Bool) {
        guard let (last, done) = exchange(&recovery, with: nil) else { return }
        if works {
            isBroken = false
            removeRows(after: last.position)
        }
        done(works ? nil : "disk I/O error")
    }
}
