public import GameFlow

/// Reads what the journal has of sessions. Called on the loop's thread; answers there, at once or later.
public protocol HistoryStore: AnyObject {
    /// A page of a session's history; see `Sessions.history`.
    func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void)
}

/// Operations on the whole journal. Called on the loop's thread; answers there, at once or later.
public protocol Maintenance: AnyObject {
    /// Writes a copy of all that is kept, and reads it again; what is known of it then.
    func backup(
        to target: BackupTarget, _ done: @escaping (Result<[Member], RequestError>) -> Void)
    /// Lets old rows be removed although the clock has gone ahead by more than they are kept for.
    func prune(_ done: @escaping (Result<[Member], RequestError>) -> Void)
}
