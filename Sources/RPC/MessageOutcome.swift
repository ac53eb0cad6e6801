/// What the reply to one message of JSON-RPC says. The reply may change until it goes out: a deferred result
/// may be an error, and what could not be stored is one.
public enum MessageOutcome: Equatable, Sendable {
    /// There is no reply: the message has notifications only.
    case noReply
    /// A result, which is there or is being fetched.
    case result
    case error(CallError)
    /// Replies to several requests, each of which says its own outcome.
    case batch

    /// The deferred result was fetched.
    public mutating func fulfil(_ answer: DeferredResult.Answer) {
        if case .failure(let error) = answer { replace(by: error) }
    }

    /// The reply was replaced by an error.
    public mutating func replace(by error: CallError) {
        switch self {
        case .result, .error: self = .error(error)
        case .noReply, .batch: break
        }
    }
}
