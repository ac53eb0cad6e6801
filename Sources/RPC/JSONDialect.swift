internal import GameFlow
public import JSONCoding
internal import Sessions
internal import Support

/// Answers lines of JSON-RPC 2.0. A line contains one message, or a batch of messages. `ProtocolHandler` calls this class.
///
/// In this file, each variable whose name is `node` or ends with `Node` is the index of a value in the parsed text of the line.
final class JSONDialect {
    /// The limit of a batch's reply in bytes. If the reply exceeds it, the remaining requests are refused.
    static let batchLimit = 8 << 20

    private let dispatcher: Dispatcher
    /// The parsed line and the parameters of its request; kept so that their memory is reused. Nil while a request uses them.
    // Not checked for overlapping accesses: the value is only moved out and in, and the check would take longer.
    @exclusivity(unchecked) private var params: Params?

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    /// Executes the requests of a line, and writes the replies to `outbox`, which holds each until its journal row is durable.
    func answer(_ line: ArraySlice<UInt8>, _ caller: any Caller, _ outbox: ReplyBuffer)
        -> MessageOutcome
    {
        var params = self.params.take() ?? Params()
        let outcome = answer(line, &params, caller, outbox)
        self.params = consume params
        return outcome
    }

    /// Executes a request that the router has passed to a shard of this process, and writes the reply to `outbox`.
    func answer(_ request: RoutedRequest, _ caller: any Caller, _ outbox: ReplyBuffer) {
        var params = self.params.take() ?? Params()
        let start = outbox.writer.count
        outbox.writer.beginReply()
        outbox.writer.int(RoutedRequest.id)
        outbox.writer.name("result")
        let outcome: CallOutcome
        do throws(CallError) {
            try params.read(request.params, of: request.method)
            outcome = dispatcher.call(request.method, params, from: caller, into: &outbox.writer)
        } catch { outcome = .refused(error) }
        self.params = consume params
        if case .refused(let error, _) = outcome {
            outbox.writer.truncate(to: start)
            outbox.writer.reply(refusing: error)
        } else {
            outbox.writer.endObject()
        }
        outbox.holdIfNecessary(
            outcome, of: request.method, from: start, durable: dispatcher.sessions.durableRow,
            dispatcher.meter
        ) {
            .json(id: .number(RoutedRequest.id))
        }
        endLine(&outbox.writer)
    }

    private func answer(
        _ line: ArraySlice<UInt8>, _ params: inout Params, _ caller: any Caller,
        _ outbox: ReplyBuffer
    ) -> MessageOutcome {
        let outcome: MessageOutcome
        do throws(JSONError) {
            try params.json.load(line)
            switch try params.readMessage() {
            case .request(let request):
                outcome = answerRequest(request, &params, caller, outbox)
            case .batch: return try answerBatch(&params, caller, outbox)
            }
        } catch {
            var refusal = CallError(error)
            if case .malformed = error { refusal = .parseError(error.sentence) }
            return refuse(dispatcher.refusal(refusal, to: caller), &outbox.writer)
        }
        endLine(&outbox.writer)
        return outcome
    }

    /// Writes an error that belongs to no request.
    func refuse(_ error: CallError, _ writer: inout JSONWriter) -> MessageOutcome {
        writer.reply(refusing: error)
        endLine(&writer)
        return .error(error)
    }

    /// Ends the line, if anything was written on it.
    private func endLine(_ writer: inout JSONWriter) {
        if !writer.isAtLineStart { writer.newline() }
    }

    /// Writes the replies to a batch as one line, or nothing if the batch contains only notifications. The requests are
    /// independent: if one is refused, the preceding ones are not undone.
    private func answerBatch(
        _ params: inout Params, _ caller: any Caller, _ outbox: ReplyBuffer
    ) throws(JSONError) -> MessageOutcome {
        let elements = params.json.children(of: JSONText.root)
        let nodeCount = params.json.nodeCount
        if elements.isEmpty {
            let error = dispatcher.refusal(.invalidRequest("an empty batch"), to: caller)
            return refuse(error, &outbox.writer)
        }
        let start = outbox.writer.count
        outbox.writer.beginArray()
        let firstReply = outbox.writer.count
        for element in elements {
            // `deferredBytes` is the assumed size of the results that are not available yet.
            if outbox.writer.count - start + outbox.deferredBytes > Self.batchLimit {
                let request = try params.readElement(element)
                refuseUnexecuted(request, params, caller, &outbox.writer)
            } else {
                let request = try params.readElement(element)
                _ = answerRequest(request, &params, caller, outbox)
            }
            // The nodes that the request needed beside those of the batch.
            params.json.removeNodes(from: nodeCount)
        }
        // If no reply was written, all requests are notifications, and the bracket is removed.
        guard outbox.writer.count > firstReply else {
            outbox.writer.truncate(to: start)
            return .noReply
        }
        outbox.writer.endArray()
        outbox.writer.newline()
        return .batch
    }

    /// Refuses a request of a batch whose reply is too long already. Writes the error as the reply, unless the request is a
    /// notification.
    private func refuseUnexecuted(
        _ request: JSONRequest, _ params: borrowing Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) {
        if case .invalid(let why) = request.call {
            refuseInvalid(request, why, params, caller, &writer)
            return
        }
        let error = dispatcher.refusal(
            .refused(.limit(which: "batchBytes", limit: Self.batchLimit)), to: caller,
            of: request.method)
        if let idNode = request.idNode { reply(idNode, error, in: params.json, &writer) }
    }

    /// Writes an error as the reply to a value that is no request, and returns it.
    @discardableResult
    private func refuseInvalid(
        _ request: JSONRequest, _ why: String, _ params: borrowing Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallError {
        let error = dispatcher.refusal(.invalidRequest(why), to: caller)
        reply(request.idNode, error, in: params.json, &writer)
        return error
    }

    /// Executes one request, and writes its reply or gives it to `outbox` to hold. Writes nothing for a notification.
    private func answerRequest(
        _ request: JSONRequest, _ params: inout Params, _ caller: any Caller,
        _ outbox: ReplyBuffer
    ) -> MessageOutcome {
        if case .invalid(let why) = request.call {
            return .error(refuseInvalid(request, why, params, caller, &outbox.writer))
        }
        let start = outbox.writer.count
        let outcome = answer(request, &params, caller, &outbox.writer)
        guard let idNode = request.idNode else {
            // A notification is executed, but its result is discarded.
            if case .deferred(let result) = outcome {
                result.begin {
                    if case .failure(let error) = $0.result { caller.countRefusal(error) }
                }
            }
            dispatcher.meter.count(request.method, RequestMeter.Outcome(outcome))
            outbox.writer.truncate(to: start)
            if case .refused(let error, _) = outcome { return .refusedNotification(error) }
            return .noReply
        }
        // The closure is called only if the reply has to wait. A deferred result or an error may then replace the reply, and
        // the new reply needs the id.
        outbox.holdIfNecessary(
            outcome, of: request.method, from: start, durable: dispatcher.sessions.durableRow,
            dispatcher.meter
        ) {
            .json(id: Self.id(idNode, in: params.json))
        }
        if case .refused(let error, _) = outcome { return .error(error) }
        return .result
    }

    /// Executes a request, and writes the complete reply: the result or the error. If the result is deferred, the reply lacks
    /// the result, and `ReplyBuffer.holdIfNecessary` replaces the reply by a placeholder.
    private func answer(
        _ request: JSONRequest, _ params: inout Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        let start = writer.count
        beginReply(request.idNode, params.json, &writer)
        writer.name("result")
        let outcome = call(request, params, caller, &writer)
        if case .refused(let error, _) = outcome {
            writer.truncate(to: start)
            reply(request.idNode, error, in: params.json, &writer)
        } else {
            writer.endObject()
        }
        return outcome
    }

    /// Counts a request, and lets the dispatcher execute it. The result, if it is available, is written as a value.
    private func call(
        _ request: JSONRequest, _ params: borrowing Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        if let error = caller.countRequest() { return .refused(.refused(error)) }
        switch request.call {
        case .invalid(let why): return .refused(.invalidRequest(why))
        case .mistake(let error):
            caller.countRefusal(error)
            return .refused(error)
        case .method(let method):
            let outcome = dispatcher.call(method, params, from: caller, into: &writer)
            if case .refused(let error, _) = outcome { caller.countRefusal(error) }
            return outcome
        }
    }

    /// Begins a reply and writes the request's id, or null if the request has none.
    private func beginReply(
        _ idNode: Int?, _ text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        writer.beginReply()
        guard let idNode else { return writer.null() }
        writer.id(Self.id(idNode, in: text))
    }

    /// The id of a request. A reply that is written later needs it, because the request's text is gone by then.
    @inline(__always) private static func id(_ idNode: Int, in text: borrowing JSONText)
        -> PendingReply.RequestID
    {
        if let number = text.int(at: idNode) { return .number(number) }
        return .text(text.string(at: idNode) ?? "")
    }

    /// Writes an error as the reply to the request with this id; nil if the id could not be read.
    private func reply(
        _ idNode: Int?, _ error: CallError, in text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        guard let idNode else { return writer.reply(refusing: error) }
        beginReply(idNode, text, &writer)
        writer.name("error")
        writer.error(error)
        writer.endObject()
    }
}

extension JSONWriter {
    /// Begins a JSON-RPC reply; the id comes next.
    mutating func beginReply() {
        beginObject()
        raw("\"jsonrpc\":\"2.0\",\"id\":")
    }

    /// Writes the id of a request.
    @inline(__always) mutating func id(_ id: PendingReply.RequestID) {
        switch id {
        case .number(let number): int(number)
        case .text(let text): string(text)
        }
    }

    /// Writes a JSON-RPC reply with an error that belongs to no request.
    public mutating func reply(refusing error: CallError) {
        beginReply()
        null()
        name("error")
        self.error(error)
        endObject()
    }
}
