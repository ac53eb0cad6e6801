/// Rows in memory: for tests.
public final class MemoryStore: Store {
    public let epoch = 1
    public private(set) var rows: [JournalRow] = []

    public init() {}

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        rows += batch
        done(.kept)
    }

    public func recover(keeping position: Int64, _ done: @escaping (_ why: String?) -> Void) {
        rows.removeAll { $0.position > position }
        done(nil)
    }

    public func walk(
        from position: Int64, before: Int64, limit: Int, bytes: Int,
        _ done: @escaping (Result<[JournalRow], SQLiteError>) -> Void
    ) {
        var (found, at): ([JournalRow], Int64) = ([], position)
        while found.count < limit, let row = rows.first(where: { $0.position == at }) {
            if row.seq < before { found.append(row) }
            at = row.previous.position
        }
        done(.success(found))
    }

    public func backup(
        to path: String, _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void
    ) {
        done(.failure(SQLiteError(code: 1, "rows in memory have no file")))
    }
}
