public import JSON

/// What is kept of sessions, for whoever asks for it. Called on the loop's thread, and answers there, at once or
/// later.
public protocol Archive: AnyObject {
    /// A page of a session's history; see `Sessions.history`.
    func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void)
}

/// What an operator may have done with all that is kept. Called on the loop's thread, and answers there, at once or
/// later.
public protocol Maintenance: AnyObject {
    /// Writes a copy of all that is kept, and reads it again; what is known of it then.
    func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// Lets old rows be removed although the clock has gone ahead by more than they are kept for.
    func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void)
}
