public import Sessions

/// Where rows are kept. Whoever appends goes on at once, and hears later whether they are safe.
///
/// Belongs to the loop's thread; whatever is asked is answered there, once. What is asked is done in its order:
/// a page that is asked for after rows were appended has them. Batches are settled in the order in which they
/// were appended. After one was lost, or nobody knows, nothing is taken until `recover` has worked.
public protocol Store: AnyObject {
    /// Is told when the store fails by itself, while no batch waits.
    var broke: (_ why: String) -> Void { get set }
    /// How many transactions batches have taken since the store was made: those that wait are written together.
    var transactions: Int { get }
    /// Takes a batch: all of it is kept, or nothing.
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void)

    // MARK: reading

    /// The next rows behind a position, in order, at most `limit`; none behind the last one.
    func walk(
        after position: Int, limit: Int,
        _ done: @escaping (Result<[JournalRow], StoreError>) -> Void)
    /// Of each session that has rows, what is needed to go on with it.
    func newest(
        of sessions: [String], _ done: @escaping (Result<[NewestRow], StoreError>) -> Void)
    /// Finds a page of a session's rows.
    func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, StoreError>) -> Void)

    // MARK: upkeep

    /// Rows that may be old enough to go, as long as they happened before `atNs`; at most `limit`. The newest
    /// row of all is not among them.
    func candidates(
        after position: Int, before atNs: Int64, limit: Int,
        _ done: @escaping (Result<[PruneCandidate], StoreError>) -> Void)
    /// Removes rows that are not wanted any more, in increasing order.
    func prune(_ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void)
    /// Notes a sign of life, and how far the journal has got.
    func mark(_ mark: HighWaterMark)
    /// Removes what was noted of the journal as a whole under a name.
    func forget(_ note: String)
    /// Writes a copy of all rows to a path where nothing is, with notes of its own, and reads it again.
    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, StoreError>) -> Void)

    // MARK: failure and end

    /// Opens the rows anew, and removes what is behind a row, which must be there as it was; `done` is told
    /// why that did not work, or nil.
    func recover(keeping last: JournalPosition, _ done: @escaping (_ why: String?) -> Void)
    /// Lets what was appended be kept, and closes; then `done` is called.
    func close(_ done: @escaping () -> Void)
}

/// A session's newest row that says how it is, and the mark of its newest row of all.
public struct NewestRow: Equatable, Sendable {
    public let row: JournalRow
    public let mark: JournalPosition

    public init(_ row: JournalRow, mark: JournalPosition) { (self.row, self.mark) = (row, mark) }
}

/// A row that may be old enough to go.
public struct PruneCandidate: Equatable, Sendable {
    public let position: Int
    public let session: String
    public let seq: Int
    /// Which of its session's requests with an id led to it, if one did.
    public let idNumber: Int?

    package init(position: Int, session: String, seq: Int, idNumber: Int?) {
        (self.position, self.session, self.seq) = (position, session, seq)
        self.idNumber = idNumber
    }
}

/// What became of a batch.
public enum StoreOutcome: Equatable, Sendable {
    /// It is on the disk.
    case kept
    /// It is not there, and will not be.
    case lost(why: String)
    /// Nobody can say; what is there has to be looked at.
    case unknown(why: String)

    /// Why it is not known to be on the disk; nil where it is.
    package var why: String? {
        switch self {
        case .kept: nil
        case .lost(let why), .unknown(let why): why
        }
    }
}
