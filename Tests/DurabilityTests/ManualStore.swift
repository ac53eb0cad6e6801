import Journal
import Sessions

/// A store that keeps rows when the test says so.
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

    /// What has gathered is on the disk.
    func commit() {
        for (batch, done) in exchange(&batches, with: []) {
            insert(batch)
            done(.kept)
        }
    }

    /// It is not, and nobody knows what is.
    func fail() {
        isBroken = true
        for (_, done) in exchange(&batches, with: []) { done(.unknown(why: "disk I/O error")) }
    }

    /// An attempt to open it anew works, or does not.
    func recover(_ works: Bool) {
        guard let (last, done) = exchange(&recovery, with: nil) else { return }
        if works {
            isBroken = false
            removeRows(after: last.position)
        }
        done(works ? nil : "disk I/O error")
    }
}
