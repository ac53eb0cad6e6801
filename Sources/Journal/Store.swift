public import Sessions

/// Where rows are kept. Whoever appends goes on at once, and hears later whether they are safe.
///
/// Belongs to the loop's thread. Batches are settled in the order in which they were appended. After one was
/// lost, or nobody knows, nothing is taken until `recover` has worked.
public protocol Store: AnyObject {
    /// The owner's number: rows in one place have one owner so far, and a store with several would count them
    /// and refuse what an earlier one still had on its way.
    var epoch: Int { get }
    /// Is told when the store fails by itself, while no batch waits.
    var broke: (_ why: String) -> Void { get set }
    /// Takes a batch; `done` is called on the loop's thread, once.
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void)
    /// Opens the rows anew, and removes what stands behind a row, which must be there as it was; `done` is told
    /// why that did not work, or nil.
    func recover(keeping last: RowMark, _ done: @escaping (_ why: String?) -> Void)
    /// Finds a page of a session's rows.
    func find(
        _ query: JournalQuery, _ done: @escaping (Result<JournalPage, SQLiteError>) -> Void)
    /// Writes a copy of all rows to a path where nothing is, with notes of its own, and reads it again.
    func backup(
        to path: String, notes: [String: String],
        _ done: @escaping (Result<BackupFacts, SQLiteError>) -> Void)
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
    var why: String? {
        switch self {
        case .kept: nil
        case .lost(let why), .unknown(let why): why
        }
    }
}
