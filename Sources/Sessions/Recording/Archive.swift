public import JSON

/// Where more is kept than the sessions remember. Answers may come later, on the loop's thread.
public protocol Archive: AnyObject {
    /// A page of a session's history; see `Sessions.history`.
    func history(
        of session: Session, from place: Sessions.HistoryPlace, limit: Int,
        _ done: @escaping (Result<Sessions.HistoryPage, RequestError>) -> Void)
    /// Writes a copy of all that is kept to a file, and looks at it; what is known of it then.
    func backup(to path: String, _ done: @escaping (Result<[Member], RequestError>) -> Void)
}
