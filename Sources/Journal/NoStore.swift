public import Sessions

/// The store of a daemon without a journal. It keeps nothing: `GroupCommit` appends no row to it, and it has no row to read.
public final class NoStore: Store {
    public var onFailure: (_ why: String) -> Void = { _ in }

    public init() {}

    public var keepsRows: Bool { false }
    public var transactions: Int { 0 }

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        done(.lost(why: Self.failure.why))
    }

    public func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
    ) { done(.success([])) }

    public func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void
    ) { done(.success([])) }

    public func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void
    ) { done(.success(query.page(of: []))) }

    public func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void
    ) { done(.success([])) }

    public func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void) {
        done(.success(()))
    }

    public func mark(_ mark: HighWaterMark) {}
    public func setNote(_ name: String, _ value: String) {}
    public func removeNote(_ name: String) {}

    public func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void
    ) { done(.failure(Self.failure)) }

    public func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void) {
        done(nil)
    }

    public func close(_ done: @escaping () -> Void) { done() }

    private static let failure = StoreError(.unavailable, why: "the daemon has no journal")
}
