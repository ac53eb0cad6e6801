public import Journal

/// What the writer is asked to do besides keeping rows, in the order of asking.
enum JournalJob: Sendable {
    /// A batch, the next in number.
    case append([JournalRow])
    /// A page of a session's rows.
    case find(Int, JournalQuery)
    /// A copy of it all.
    case backup(Int, to: String, notes: [String: String])
    /// The next rows behind a position.
    case walk(Int, after: Int, limit: Int)
    /// The newest rows of sessions.
    case newest(Int, of: [String])
    /// Rows that may be old enough to go.
    case candidates(Int, after: Int, before: Int64, limit: Int)
    /// Rows that are.
    case prune(Int, [Int])
    /// A note that is to go.
    case forget(String)
    /// A sign of life.
    case mark(HighWaterMark)
}

/// What the writer has to say.
public enum JournalMessage: Equatable, Sendable {
    /// The file is open, and nothing stands behind the position that it was to be kept up to.
    case opened
    /// All batches up to a number are on the disk; and how many transactions that took.
    case kept(upTo: Int, transactions: Int)
    /// The answer to a question of that number, or why there is none.
    case answered(Int, Result<JournalAnswer, StoreError>)
    /// It has ended, and the file is closed; nothing more will come. Where it was not asked to, it says why,
    /// and the batches that come behind `upTo` are not there.
    case ended(upTo: Int, StoreOutcome)
}

/// What the writer was asked for.
public enum JournalAnswer: Equatable, Sendable {
    case page(JournalPage)
    case backup(BackupFacts)
    case rows([JournalRow])
    case newest([NewestRow])
    case candidates([PruneCandidate])
    case pruned
}
