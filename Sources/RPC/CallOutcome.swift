public import GameFlow
public import JSONCoding
public import Sessions

/// The outcome of a call of a method by `Dispatcher`. If the result is available immediately, the dispatcher has already
/// written it into the writer that was passed to `Dispatcher.call`. Each `row` is the number of the journal row that must be
/// durable before the outcome is sent; 0 means that it may be sent immediately.
public enum CallOutcome {
    /// There is a result.
    case succeeded(row: Int)
    /// There is no result. The caller of the dispatcher must discard the bytes that this call has written. Like a result, the
    /// error may reveal the state of a session, and therefore waits for a row.
    case refused(CallError, row: Int)
    /// There is a result, and the call began a subscription of the caller to the target.
    case watching(WatchTarget, row: Int)
    /// The result is not available yet; nothing was written. Deferred events are something else.
    case deferred(DeferredResult)

    /// A result that does not depend on a session.
    public static var succeeded: CallOutcome { .succeeded(row: 0) }

    /// An error that does not depend on a session.
    public static func refused(_ error: CallError) -> CallOutcome { .refused(error, row: 0) }
}

/// A result that has to be fetched first, for example from the disk.
public struct DeferredResult {
    /// What was fetched.
    public struct Outcome {
        /// A closure that writes the result, or the error.
        public let result: Result<(inout JSONWriter) -> Void, CallError>
        /// The number of the journal row that must be durable before the result is sent; 0 means that it may be sent at once.
        public let row: Int

        public init(_ result: Result<(inout JSONWriter) -> Void, CallError>, row: Int = 0) {
            (self.result, self.row) = (result, row)
        }

        public static func success(_ write: @escaping (inout JSONWriter) -> Void) -> Outcome {
            Outcome(.success(write))
        }

        public static func failure(_ error: CallError) -> Outcome { Outcome(.failure(error)) }

        /// What `write` writes of a value that was fetched, or the error.
        static func written<Value>(
            _ result: Result<Value, RequestError>,
            _ write: @escaping (Value, inout JSONWriter) -> Void
        ) -> Outcome {
            Outcome(
                result.map { value in { write(value, &$0) } }.mapError { .refused($0) })
        }

        /// An object with these members, or the error.
        public static func members(_ result: Result<[Member], CallError>) -> Outcome {
            Outcome(result.map { members in { $0.object(members) } })
        }

        func mapError(_ transform: (CallError) -> CallError) -> Outcome {
            Outcome(result.mapError(transform), row: row)
        }
    }

    /// Starts to fetch the result. `begin` is called once, on the loop's thread. It calls its argument once with the result, on
    /// the same thread, immediately or later.
    let begin: (@escaping (Outcome) -> Void) -> Void

    /// The assumed size of the result in bytes. Until the result arrives, this size counts against the limit for the reply to a
    /// JSON-RPC batch.
    let assumedBytes: Int

    /// Whether the connection handles no further request until the result arrives, so that results do not accumulate. False for
    /// a result that waits for others, and not for work.
    let delaysRequests: Bool

    public init(
        assumedBytes: Int, delaysRequests: Bool = true,
        begin: @escaping (@escaping (Outcome) -> Void) -> Void
    ) {
        (self.assumedBytes, self.begin) = (assumedBytes, begin)
        self.delaysRequests = delaysRequests
    }

    /// A result whose size is estimated as the maximum size of a page of history.
    public init(begin: @escaping (@escaping (Outcome) -> Void) -> Void) {
        self.init(assumedBytes: Limits().historyBytes, begin: begin)
    }

    /// A result with members that `begin` passes to its argument, or an error.
    public init(
        members begin: @escaping (@escaping (Result<[Member], RequestError>) -> Void) -> Void
    ) {
        self.init { done in
            begin { result in done(.members(result.mapError { .refused($0) })) }
        }
    }
}
