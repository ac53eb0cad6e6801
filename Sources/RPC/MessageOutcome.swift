/// The outcome in the reply to one JSON-RPC message. It may change until the reply is sent: a
/// deferred result can be an error, and a change that could not be stored becomes one.
public enum MessageOutcome: Equatable, Sendable {
    /// There is no reply: the message contains only notifications.
    case noReply
    /// A result that is available or being fetched.
    case result
    case error(CallError)
    /// Replies to several requests, each with its own outcome.
    case batch

    /// Records the outcome of the deferred result.
    public mutating func fulfil(_ answer: DeferredResult.Answer) {
        if case .failure(let error) = answer { replace(by: error) }
    }

    /// Records that the reply was replaced by an error.
    public mutating func replace(by error: CallError) {
        switch self {
        case .result, .error: self = .error(error)
        case .noReply, .batch: break
        }
    }
}
