/// Reads the history of sessions from the journal, for the method `history`. Called on the loop's thread; calls `done` there,
/// immediately or later. `GroupCommit` implements this protocol.
public protocol HistoryStore: AnyObject {
    /// Reads a page of a session's history: at most `limit` records from `position` on, newest first. See `Sessions.history`.
    func history(
        of session: Session, from position: Sessions.HistoryPosition, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void)
}
