public import Sessions

/// Rows in memory: for tests.
public final class MemoryStore: Store {
    public let epoch = 1
    public private(set) var rows: [JournalRow] = []

    public var broke: (_ why: String) -> Void = { _ in }

    public init() {}

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        rows += batch
        done(.kept)
    }

    public func recover(
        keeping last: RowMark, _ done: @escaping (_ why: String?) -> Void
    ) {
        rows.removeAll { $0.position > last.position }
        done(nil)
    }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, SQLiteError>) -> Void
    ) { done(.success(query.page(of: rows))) }

    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void
    ) {
        done(.failure(SQLiteError(code: 1, "rows in memory have no file")))
    }
}
