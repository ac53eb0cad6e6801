public import Journal

/// A job for the writer; jobs are executed in order.
enum JournalJob: Sendable {
    /// A batch, with the next batch number.
    case append([JournalRow])
    /// A page of a session's rows.
    case find(Int, JournalQuery)
    /// A backup of the journal.
    case backup(Int, to: String, notes: [String: String])
    /// The next rows after a position.
    case walk(Int, after: Int, limit: Int)
    /// The newest rows of sessions.
    case newest(Int, of: [String])
    /// Rows that may be old enough to be removed.
    case candidates(Int, after: Int, before: Int64, limit: Int)
    /// Removes these rows.
    case prune(Int, [Int])
    /// Removes a note.
    case forget(String)
    /// Writes a high-water mark.
    case mark(HighWaterMark)
}

/// A message from the writer.
public enum JournalMessage: Equatable, Sendable {
    /// The file is open, and the rows after the position to be kept were removed.
    case opened
    /// All batches up to that number are durable; with the number of transactions used for them.
    case kept(upTo: Int, transactions: Int)
    /// The result of the query with that number, or the error.
    case answered(Int, Result<JournalAnswer, StoreError>)
    /// The writer has ended and the file is closed; no message follows. If it was not asked to end,
    /// the outcome has the reason, and the batches after `upTo` were not stored.
    case ended(upTo: Int, StoreOutcome)
}

/// The result of a job.
public enum JournalAnswer: Equatable, Sendable {
    case page(JournalPage)
    case backup(BackupFacts)
    case rows([JournalRow])
    case newest([NewestRow])
    case candidates([PruneCandidate])
    case pruned
}
