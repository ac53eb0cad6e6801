/// Where rows are kept. Whoever appends goes on at once, and hears later whether they are safe.
///
/// Belongs to the loop's thread. Batches are settled in the order in which they were appended.
public protocol Store: AnyObject {
    /// Counts up with each owner of the rows: what an earlier one still had on its way is not taken.
    var epoch: Int { get }
    /// Takes a batch; `done` is called on the loop's thread, once.
    func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void)
}

/// What became of a batch.
public enum StoreOutcome: Equatable, Sendable {
    /// It is on the disk.
    case kept
    /// It is not there, and will not be.
    case lost(why: String)
    /// Nobody can say; what is there has to be looked at.
    case unknown(why: String)
}

/// Rows in memory: for daemons that keep nothing, and for tests.
public final class MemoryStore: Store {
    public let epoch = 1
    public private(set) var rows: [JournalRow] = []

    public init() {}

    public func append(_ batch: [JournalRow], _ done: @escaping (StoreOutcome) -> Void) {
        rows += batch
        done(.kept)
    }
}
