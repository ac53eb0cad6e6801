import Journal
import Sessions

/// A store that keeps rows when the test says so.
final class ManualStore: Store {
    let epoch = 1
    private(set) var rows: [JournalRow] = []
    private(set) var batches: [(rows: [JournalRow], done: (StoreOutcome) -> Void)] = []
    var broke: (_ why: String) -> Void = { _ in }
    private(set) var recovery: (keeping: RowMark, done: (String?) -> Void)?
    private var isBroken = false

    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        if isBroken { return done(.lost(why: "disk I/O error")) }
        batches.append((batch, done))
    }

    func recover(keeping last: RowMark, _ done: @escaping (_ why: String?) -> Void) {
        recovery = (last, done)
    }

    func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, SQLiteError>) -> Void
    ) { done(.success(query.page(of: rows))) }

    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void
    ) { done(.failure(SQLiteError(code: 1, "there is no file"))) }

    /// What has gathered is on the disk.
    func commit() {
        for (batch, done) in exchange(&batches, with: []) {
            rows += batch
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
            rows.removeAll { $0.position > last.position }
        }
        done(works ? nil : "disk I/O error")
    }
}
