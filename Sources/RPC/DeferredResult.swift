public import JSON

/// A result that has to be fetched first, from the disk for one.
public struct DeferredResult {
    /// What writes the result, or why there is none.
    public typealias Answer = Result<(inout JSONWriter) -> Void, CallError>

    /// Fetches it; called once, and calls back once, at once or later.
    let begin: (@escaping (Answer) -> Void) -> Void
}
