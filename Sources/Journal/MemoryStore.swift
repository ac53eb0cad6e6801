public import Sessions

/// A store in memory, for tests. Subclasses override its functions to simulate failures.
open class MemoryStore: Store {
    /// The rows in the order of their positions.
    public private(set) var rows: [JournalRow] = []
    /// The newest high-water mark. It contains the time at which the daemon was last known to run.
    public private(set) var lastMark: HighWaterMark?

    /// The number of batches so far: each batch is a transaction of its own.
    public private(set) var transactions = 0
    public var onFailure: (_ why: String) -> Void = { _ in }

    public init() {}

    /// Adds rows.
    public func insert(_ batch: [JournalRow]) { rows += batch }

    /// Removes the rows after a position.
    public func removeRows(after position: Int) { rows.removeAll { $0.position > position } }

    open func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        insert(batch)
        transactions += 1
        done(.durable)
    }

    open func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
    ) { done(.success(Array(rows.lazy.filter { $0.position > position }.prefix(limit)))) }

    open func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) {
        // Groups the rows once for all sessions. After a failed commit, there can be many sessions.
        let rowsBySession = Dictionary(grouping: rows) { $0.session }
        done(
            .success(
                sessions.compactMap { session in
                    guard let sessionRows = rowsBySession[session], let last = sessionRows.last,
                        let row = sessionRows.last(where: { $0.kind != .refusal })
                    else { return nil }
                    return NewestRow(row, newestPosition: last.journalPosition)
                }))
    }

    open func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) { done(.success(query.page(of: rows))) }

    open func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) {
        let oldRows = rows.dropLast().filter { $0.position > position }.prefix(limit)
            .prefix { $0.atNs < atNs }
        done(
            .success(
                oldRows.map {
                    PruneCandidate(
                        position: $0.position, session: $0.session, seq: $0.seq,
                        idNumber: $0.id?.number)
                }))
    }

    open func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        let removedPositions = Set(positions)
        rows.removeAll { removedPositions.contains($0.position) }
        done(.success(()))
    }

    open func mark(_ mark: HighWaterMark) { lastMark = mark }

    /// Does nothing: the store has no notes.
    open func setNote(_ name: String, _ value: String) {}

    /// Does nothing: the store has no notes.
    open func removeNote(_ name: String) {}

    open func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) { done(.failure(StoreError(.other, why: "rows in memory have no file"))) }

    open func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void) {
        removeRows(after: last.position)
        done(nil)
    }

    open func close(_ done: @escaping () -> Void) { done() }
}
