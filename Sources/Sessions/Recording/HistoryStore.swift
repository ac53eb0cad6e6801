/// Reads the history of sessions from the journal. Called on the loop's thread; calls `done` there, immediately
/// or later.
public protocol HistoryStore: AnyObject {
    /// Reads the page of a session's history before a position, newest first; see `Sessions.history`.
    func history(
        of session: Session, from position: Sessions.HistoryPosition, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void)
}
