public import Sessions
public import Support

/// Stores rows. `append` returns immediately, and reports later whether the rows are durable.
///
/// Use it on the loop's thread, where each call is answered exactly once. Calls are executed in
/// order: a page that is requested after rows were appended contains them. The outcomes of batches
/// are reported in the order in which they were appended. After a batch was lost, or its outcome is
/// unknown, the store accepts nothing until `recover` has succeeded.
public protocol Store: AnyObject {
    /// Called when the store fails on its own, while no batch waits.
    var broke: (_ why: String) -> Void { get set }
    /// The number of transactions for batches since the store was created. Batches that wait are
    /// written together.
    var transactions: Int { get }
    /// Adds a batch: all of its rows are stored, or none.
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void)

    // MARK: reading

    /// The next rows after a position, in order, at most `limit`; an empty result after the last
    /// one.
    func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void)
    /// For each session that has rows, the row from which it is restored, and its newest row.
    func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void)
    /// Finds a page of a session's rows.
    func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void)

    // MARK: upkeep

    /// The next rows that may be old enough to be removed: at most `limit` rows, up to the first row with
    /// a time of `atNs` or later. The newest row of the journal is not included.
    func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void)
    /// Removes rows; the positions are in increasing order.
    func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void)
    /// Records the position of the newest row, and the time until which the daemon has run.
    func mark(_ mark: HighWaterMark)
    /// Removes a note: a named text that is stored beside the rows.
    func removeNote(_ name: String)
    /// Writes a copy of all rows to a path that does not exist, with additional notes, and verifies
    /// it by reading it.
    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void)

    // MARK: failure and end

    /// Reopens the store, and removes the rows after `last`, which must be unchanged. Calls `done`
    /// with the reason of a failure, or with nil on success.
    func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    /// Stores the batches that were appended, closes the store, and calls `done`.
    func close(_ done: @escaping () -> Void)
}

/// The newest row with a session's state (`row`), and the position of the session's newest row of any kind.
public struct NewestRow: Equatable, Sendable {
    public let row: JournalRow
    public let newestPosition: JournalPosition

    public init(_ row: JournalRow, newestPosition: JournalPosition) {
        (self.row, self.newestPosition) = (row, newestPosition)
    }
}

/// A row that may be old enough to be removed.
public struct PruneCandidate: Equatable, Sendable {
    public let position: Int
    public let session: String
    public let seq: Int
    /// The number of the request that caused the row, among the session's requests with an id; nil if no such request
    /// caused it.
    public let idNumber: Int?

    package init(position: Int, session: String, seq: Int, idNumber: Int?) {
        (self.position, self.session, self.seq) = (position, session, seq)
        self.idNumber = idNumber
    }
}

/// The outcome of a batch.
public enum StoreOutcome: Equatable, Sendable {
    /// The batch is durable.
    case durable
    /// The batch was not stored, and will not be.
    case lost(why: String)
    /// It is unknown whether the batch was stored; the store has to be reopened and read.
    case unknown(why: String)

    /// The reason why the batch is not known to be durable; nil if it is.
    package var why: String? {
        switch self {
        case .durable: nil
        case .lost(let why), .unknown(let why): why
        }
    }
}

/// The reason why a store did not execute a call.
public struct StoreError: DescribedError, Equatable, Sendable {
    /// The kind of the failure, which determines the reaction to it.
    public enum Kind: Equatable, Sendable {
        /// There is no space left.
        case full
        /// Another process has the store open.
        case busy
        /// The stored data is not what was written.
        case damaged
        /// The store has failed or is closed: it does nothing until `recover` has succeeded.
        case out
        case other
    }

    public let kind: Kind
    /// A message for people.
    public let why: String

    public init(_ kind: Kind, why: String) { (self.kind, self.why) = (kind, why) }

    public var isFull: Bool { kind == .full }
}

/// The content of a backup, as found by reading it completely after it was written.
public struct BackupSummary: Equatable, Sendable {
    public let bytes: Int
    public let rows: Int
    public let sessions: Int
    /// The position of the newest row.
    public let position: Int
    /// The number of damaged rows, which is the same in the journal and in the copy.
    public let damaged: Int

    package init(bytes: Int, rows: Int, sessions: Int, position: Int, damaged: Int) {
        (self.bytes, self.rows, self.sessions) = (bytes, rows, sessions)
        (self.position, self.damaged) = (position, damaged)
    }
}

/// The newest row of the journal, and the time until which the daemon is known to have run. Stored
/// beside the journal, so that rows that a disk failure removed from its end are noticed.
public struct HighWaterMark: Equatable, Sendable {
    /// The position of the newest row.
    public let position: Int
    /// The last time at which the daemon is known to have run, in nanoseconds of the daemon's
    /// clock.
    public let atNs: Int64

    public init(position: Int, atNs: Int64) { (self.position, self.atNs) = (position, atNs) }
}
