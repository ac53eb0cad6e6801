public import JSON

/// A result that has to be fetched first, for example from the disk.
public struct DeferredResult {
    /// A closure that writes the result, or the error.
    public typealias Answer = Result<(inout JSONWriter) -> Void, CallError>

    /// Starts the fetch. It is called once, and calls the closure back once, either immediately or
    /// later.
    let begin: (@escaping (Answer) -> Void) -> Void
}
