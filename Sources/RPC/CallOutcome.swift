public import JSONCoding
internal import Sessions

/// The outcome of a call. A result that is available immediately is in the writer that was passed
/// to the call.
enum CallOutcome {
    /// There is a result. It may be sent when the journal row with this number is durable; 0 means immediately.
    case succeeded(row: Int)
    /// There is no result; the bytes that were written must be discarded. The error may reveal the state of a
    /// session. Therefore it may be sent only when the row is durable, like a result.
    case refused(CallError, row: Int)
    /// There is a result, and the call began a subscription of the caller to the target.
    case watching(WatchTarget, row: Int)
    /// The result is not available yet; nothing was written.
    case deferred(DeferredResult)

    /// A result that does not depend on a session.
    static var succeeded: CallOutcome { .succeeded(row: 0) }

    /// An error that does not depend on a session.
    static func refused(_ error: CallError) -> CallOutcome { .refused(error, row: 0) }
}

/// A result that has to be fetched first, for example from the disk.
public struct DeferredResult {
    /// A closure that writes the result, or the error.
    public typealias Outcome = Result<(inout JSONWriter) -> Void, CallError>

    /// Starts the fetch. `begin` is called once, and calls its argument once with the result, immediately or later.
    let begin: (@escaping (Outcome) -> Void) -> Void

    /// The assumed size of the result in bytes. Until the result arrives, this size counts against the limit of a batch's
    /// reply.
    let estimate: Int

    package init(
        estimate: Int, begin: @escaping (@escaping (Outcome) -> Void) -> Void
    ) { (self.estimate, self.begin) = (estimate, begin) }

    /// A result that may be as large as a page of history.
    init(begin: @escaping (@escaping (Outcome) -> Void) -> Void) {
        self.init(estimate: Limits().historyBytes, begin: begin)
    }
}
