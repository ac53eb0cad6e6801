public import Sessions
public import Support

/// Stores rows. `append` returns immediately, and reports later whether the rows are durable.
///
/// All functions are called on the loop's thread. A function with the argument `done` calls it exactly once, on the same
/// thread. Calls are executed in order: a page that is requested after rows were appended contains these rows. The outcomes
/// of batches are reported in the order of the batches. After a batch was lost, or its outcome is unknown, the store
/// neither reads nor writes rows until `recover` has succeeded.
public protocol Store: AnyObject {
    /// Called when the store fails while neither a batch nor `recover` waits for an outcome. While a batch or `recover` waits,
    /// its `done` reports the failure instead.
    var onFailure: (_ why: String) -> Void { get set }
    /// Whether the store keeps the rows that are appended: false only for `NoStore`.
    var keepsRows: Bool { get }
    /// The number of transactions that wrote batches since the store was created. One transaction writes all batches that wait.
    var transactions: Int { get }
    /// Adds a batch: all of its rows are stored, or none.
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void)

    // MARK: reading

    /// Reads the next rows after a position, in the order of their positions: at most `limit`. The result is empty if no row
    /// follows.
    func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void)
    /// Reads, for each of the sessions, the row from which the session is restored, and the position of the session's newest
    /// row. Leaves out sessions without rows.
    func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void)
    /// Finds a page of a session's rows.
    func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void)

    // MARK: upkeep

    /// Reads rows after a position that may be old enough to be removed: at most `limit` rows. Stops before the first row with
    /// a time of `atNs` or later, in nanoseconds of the daemon's clock. The newest row of the journal is not included.
    func pruneCandidates(
        after position: Int, recordedBefore atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void)
    /// Removes rows; the positions are in increasing order.
    func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void)
    /// Records the high-water mark of the journal.
    func mark(_ mark: HighWaterMark)
    /// Writes a note: a named text that is stored beside the rows. It takes the place of an earlier note of that name.
    func setNote(_ name: String, _ value: String)
    /// Removes a note.
    func removeNote(_ name: String)
    /// Writes a copy of all rows, with additional notes, to a path at which no file exists. Then verifies the copy by reading
    /// it.
    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupSummary, StoreError>) -> Void)

    // MARK: failure and end

    /// Reopens the store, checks that the row `last` is unchanged, and removes the rows after it. Calls `done`
    /// with the reason of a failure, or with nil on success.
    func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    /// Stores the batches that were appended, closes the store, and calls `done`.
    func close(_ done: @escaping () -> Void)
}

extension Store {
    public var keepsRows: Bool { true }
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
    /// The number of the request that caused the row, among the session's requests with an id, from 1. Nil if no request with
    /// an id caused the row.
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
    /// It is unknown whether the batch was stored. To find out, the store has to be reopened and read.
    case unknown(why: String)

    /// The reason why the batch is not known to be durable; nil if the batch is durable.
    package var why: String? {
        switch self {
        case .durable: nil
        case .lost(let why), .unknown(let why): why
        }
    }
}

/// The reason why a store did not execute a call.
public struct StoreError: DescribedError, Equatable, Sendable {
    /// The kind of the failure. The reaction of the caller depends on it.
    public enum Kind: Equatable, Sendable {
        /// There is no space left.
        case full
        /// Another process has the store open.
        case busy
        /// The stored data is not what was written.
        case damaged
        /// The store has failed or is closed: it does nothing until `recover` has succeeded.
        case unavailable
        /// Any other failure.
        case other
    }

    public let kind: Kind
    /// A sentence for operators.
    public let why: String

    public init(_ kind: Kind, why: String) { (self.kind, self.why) = (kind, why) }

    public var isFull: Bool { kind == .full }
}

/// The content of a backup, as found by reading it completely after it was written.
public struct BackupSummary: Equatable, Sendable {
    /// The size of the copy.
    public let bytes: Int
    /// The number of rows.
    public let rows: Int
    /// The number of distinct names of sessions.
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
/// beside the journal: if a disk failure removes the newest rows, the mark shows that they are missing.
public struct HighWaterMark: Equatable, Sendable {
    /// The position of the newest row.
    public let position: Int
    /// The last time at which the daemon is known to have run, in nanoseconds of the daemon's
    /// clock.
    public let atNs: Int64

    public init(position: Int, atNs: Int64) { (self.position, self.atNs) = (position, atNs) }
}
