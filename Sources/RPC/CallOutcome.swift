internal import Sessions

/// What came of a call. Its result, if there is one already, is in the writer that the call was given.
enum CallOutcome {
    /// The result may go out once that journal row is durable; 0 if it waits for none.
    case succeeded(row: Int)
    /// There is no result; what was written of one has to go. The error may show a session: it waits as a result does.
    case refused(CallError, row: Int)
    /// It succeeded, and the peer watches that from now on.
    case watching(WatchTarget, row: Int)
    /// There is no result yet; nothing was written.
    case deferred(DeferredResult)

    /// A result that shows no session.
    static var succeeded: CallOutcome { .succeeded(row: 0) }

    /// An error that shows no session.
    static func refused(_ error: CallError) -> CallOutcome { .refused(error, row: 0) }
}
