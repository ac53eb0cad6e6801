internal import JSONCoding
public import Sessions

/// Answers each line of a caller in the dialect of the line, JSON-RPC or text. All connections of a loop share one handler.
/// From one line to the next the handler keeps no state except memory that it reuses.
public final class ProtocolHandler {
    private let dispatcher: Dispatcher
    private let json: JSONDialect
    private let text: TextDialect
    /// Encodes notifications. All callers share it, so that a change is encoded once for each view.
    public let encoder: Encoder

    /// Counts the requests.
    package var meter: RequestMeter { dispatcher.meter }

    public init(_ dispatcher: Dispatcher) {
        self.dispatcher = dispatcher
        json = JSONDialect(dispatcher)
        text = TextDialect(dispatcher)
        encoder = dispatcher.encoder
    }

    /// Sets the server limits that `hello` returns.
    public func setLimits(_ limits: [(name: String, limit: Int)]) {
        dispatcher.identity.limits = limits
    }

    /// Handles one line: writes at most one line to the caller's outbox, and begins to fetch a deferred result.
    public func answer(_ line: LineBuffer.Line, from caller: any Caller) {
        let outbox = caller.outbox
        switch line {
        case .line(let bytes): answer(bytes, caller, outbox)
        case .tooLong(let beginning):
            var error = CallError.refused(.limit(which: "lineBytes", limit: LineBuffer.limit))
            if Dialect(of: beginning) != .none || beginning.isEmpty {
                error = dispatcher.refusal(error, to: caller)
            }
            // `beginning` lacks the leading blanks of the line. It is empty for a line of blanks, which belongs to no dialect.
            // The limit applies to a line of blanks too; the error is then written as text.
            if beginning.isEmpty {
                text.refuse(error, &outbox.writer)
            } else {
                refuse(beginning, error, &outbox.writer)
            }
        }
    }

    /// Executes a request that the router has passed to a shard of this process: writes one line to the caller's outbox, and
    /// begins to fetch a deferred result.
    package func answer(_ request: RoutedRequest, from caller: any Caller) {
        caller.outbox.beginExecution()
        switch request.dialect {
        case .json: json.answer(request, caller, caller.outbox)
        case .text(let line): text.answer(line[...], caller, caller.outbox)
        }
        caller.outbox.endExecution(for: caller)
    }

    /// Handles a complete JSON-RPC message or batch. Call `ReplyBuffer.endExecution` afterwards, which fetches the
    /// deferred results. The returned outcome is provisional, because a deferred result may be an error.
    public func answerJSON(_ message: ArraySlice<UInt8>, from caller: any Caller) -> MessageOutcome
    {
        caller.outbox.beginExecution()
        return json.answer(message, caller, caller.outbox)
    }

    /// Writes an error for the bytes after the last newline of a caller that has ended its input. These bytes are not executed,
    /// because the caller may have failed in the middle of a line.
    public func answerUnfinished(_ bytes: ArraySlice<UInt8>, from caller: any Caller) {
        guard Dialect(of: bytes) != .none else { return }
        let error = dispatcher.refusal(.parseError("the last line has no end"), to: caller)
        refuse(bytes, error, &caller.outbox.writer)
    }

    /// Returns the error as a line for a caller that is rejected before it has sent anything.
    public func refusal(_ error: RequestError) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.reply(refusing: .refused(error))
        writer.newline()
        return writer.bytes
    }

    private func answer(_ line: ArraySlice<UInt8>, _ caller: any Caller, _ outbox: ReplyBuffer) {
        outbox.beginExecution()
        switch Dialect(of: line) {
        case .none: break
        case .json: _ = json.answer(line, caller, outbox)
        case .text: text.answer(line, caller, outbox)
        case .help: text.answerHelp(caller, &outbox.writer)
        // The error has no explanation: nothing is known of what the caller meant.
        case .unknown:
            text.refuse(dispatcher.refusal(.parseError(""), to: caller), &outbox.writer)
        }
        outbox.endExecution(for: caller)
    }

    /// Writes the error in the dialect of the line. Writes nothing for an empty line or a comment.
    private func refuse(
        _ line: ArraySlice<UInt8>, _ error: CallError, _ writer: inout JSONWriter
    ) {
        switch Dialect(of: line) {
        case .none: return
        case .json: _ = json.refuse(error, &writer)
        case .text, .help, .unknown: text.refuse(error, &writer)
        }
    }
}

/// The dialect of a line, determined by its first byte that is not a blank.
enum Dialect {
    /// An empty line or a comment, which gets no answer.
    case none
    case json, text
    /// A line that begins with `?`, which asks for the verbs of the text dialect.
    case help
    /// A line that begins with another character. The refusal of the line is written as text.
    case unknown

    init(of line: ArraySlice<UInt8>) {
        guard let first = line.first(where: { !Self.isBlank($0) }) else {
            self = .none
            return
        }
        switch first {
        case UInt8(ascii: "#"): self = .none
        case UInt8(ascii: "{"), UInt8(ascii: "["): self = .json
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
            self = .text
        case UInt8(ascii: "?"): self = .help
        default: self = .unknown
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}

/// What the reply to one JSON-RPC message contains. The outcome may change until the reply is sent. A deferred result can be an
/// error. If a change cannot be stored, an error replaces the result of its request.
public enum MessageOutcome: Equatable, Sendable {
    /// There is no reply: the message contains only JSON-RPC notifications, which are requests without an id.
    case noReply
    /// A JSON-RPC notification was refused. There is no reply either.
    case refusedNotification(CallError)
    /// A result that is available or being fetched.
    case result
    case error(CallError)
    /// Replies to several requests, each with its own outcome.
    case batch

    /// Records the outcome of a deferred result when it arrives.
    public mutating func deliver(_ answer: DeferredResult.Outcome) {
        if case .failure(let error) = answer.result { replace(by: error) }
    }

    /// Records that the reply was replaced by an error.
    public mutating func replace(by error: CallError) {
        switch self {
        case .result, .error: self = .error(error)
        case .noReply, .refusedNotification, .batch: break
        }
    }
}
