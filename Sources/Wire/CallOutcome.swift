internal import Sessions

/// What came of a call. Its result, where there is one already, is in the writer that the call was given.
enum CallOutcome {
    case succeeded
    /// There is no result; what was written of one has to go.
    case refused(CallError)
    /// It succeeded, and the peer watches that from now on.
    case watching(WatchTarget)
    /// There is no result yet; nothing was written.
    case deferred(DeferredResult)
}
