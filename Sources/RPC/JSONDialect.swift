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

    private func answer(
        _ line: ArraySlice<UInt8>, _ params: inout Params, _ caller: any Caller,
        _ outbox: ReplyBuffer
    ) -> MessageOutcome {
        do throws(JSONError) { try params.json.read(line) } catch {
            // A line that cannot be read counts as a request.
            if let error = caller.countRequest() { return refuse(.refused(error), &outbox.writer) }
            guard case .malformed = error else {
                return refuse(CallError(error), &outbox.writer)
            }
            return refuse(.parseError(error.sentence), &outbox.writer)
        }
        if params.json.kind(JSONText.root) == .array {
            return answerBatch(&params, caller, outbox)
        }
        let outcome = answerMessage(JSONText.root, &params, caller, outbox)
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
    private func answerBatch(_ params: inout Params, _ caller: any Caller, _ outbox: ReplyBuffer)
        -> MessageOutcome
    {
        let requests = params.json.children(of: JSONText.root)
        if requests.isEmpty { return refuse(.invalidRequest("an empty batch"), &outbox.writer) }
        let start = outbox.writer.count
        outbox.writer.beginArray()
        let firstReply = outbox.writer.count
        for request in requests {
            // `deferredBytes` is the assumed size of the results that are not available yet.
            if outbox.writer.count - start + outbox.deferredBytes > Self.batchLimit {
                let error = CallError.refused(.limit(which: "batchBytes", limit: Self.batchLimit))
                refuseUnexecuted(request, error, in: params.json, &outbox.writer)
            } else {
                _ = answerMessage(request, &params, caller, outbox)
            }
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

    /// Writes the error as the reply to a request of a batch. The request is not executed.
    private func refuseUnexecuted(
        _ node: Int, _ error: CallError, in text: borrowing JSONText,
        _ writer: inout JSONWriter
    ) {
        do throws(Envelope.EnvelopeError) {
            guard let idNode = try Envelope(node, in: text).idNode else { return }
            reply(idNode, error, in: text, &writer)
        } catch {
            reply(error.idNode, .invalidRequest(error.why), in: text, &writer)
        }
    }

    /// Executes one request, and writes its reply or gives it to `outbox` to hold. Writes nothing for a notification.
    private func answerMessage(
        _ node: Int, _ params: inout Params, _ caller: any Caller, _ outbox: ReplyBuffer
    ) -> MessageOutcome {
        let envelope: Envelope
        do throws(Envelope.EnvelopeError) { envelope = try Envelope(node, in: params.json) } catch {
            let invalid = CallError.invalidRequest(error.why)
            reply(error.idNode, invalid, in: params.json, &outbox.writer)
            return .error(invalid)
        }
        let start = outbox.writer.count
        let outcome = answer(envelope, &params, caller, &outbox.writer)
        guard let idNode = envelope.idNode else {
            // A notification is executed, but its result is discarded.
            if case .deferred(let result) = outcome { result.begin { _ in } }
            outbox.writer.truncate(to: start)
            return .noReply
        }
        // The closure is called only if the reply has to wait. A deferred result or an error may then replace the reply, and
        // the new reply needs the id.
        outbox.holdIfNecessary(outcome, from: start, durable: dispatcher.sessions.durableRow) {
            .json(id: Self.idJSON(idNode, in: params.json))
        }
        if case .refused(let error, _) = outcome { return .error(error) }
        return .result
    }

    /// Executes a request, and writes the complete reply: the result or the error. If the result is deferred, the reply lacks
    /// the result, and `ReplyBuffer.holdIfNecessary` replaces the reply by a placeholder.
    private func answer(
        _ envelope: Envelope, _ params: inout Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        let start = writer.count
        beginReply(envelope.idNode, params.json, &writer)
        writer.name("result")
        let outcome = call(envelope, &params, caller, &writer)
        if case .refused(let error, _) = outcome {
            writer.truncate(to: start)
            reply(envelope.idNode, error, in: params.json, &writer)
        } else {
            writer.endObject()
        }
        return outcome
    }

    /// Counts and checks a request, and lets the dispatcher execute it. The result, if it is available, is written as a value.
    private func call(
        _ envelope: Envelope, _ params: inout Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        if let error = caller.countRequest() { return .refused(.refused(error)) }
        guard let method = envelope.method(in: params.json) else {
            return .refused(.methodNotFound(params.json.string(at: envelope.methodNode) ?? ""))
        }
        if let node = envelope.paramsNode, params.json.kind(node) != .object {
            return .refused(
                .invalidParams("params: expected an object (parameters are named, not positional)"))
        }
        do throws(CallError) { try params.read(envelope.paramsNode, of: method) } catch {
            return .refused(error)
        }
        return dispatcher.call(method, params, from: caller, into: &writer)
    }

    /// Begins a reply and writes the request's id, or null if the request has none.
    private func beginReply(
        _ idNode: Int?, _ text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        writer.beginReply()
        guard let idNode else { return writer.null() }
        Self.writeID(idNode, text, &writer)
    }

    private static func writeID(
        _ idNode: Int, _ text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        if let number = text.int(at: idNode) {
            writer.int(number)
        } else {
            writer.string(text.string(at: idNode) ?? "")
        }
    }

    /// The id of a request as JSON. A reply that is written later needs it, because the request's text is gone by
    /// then.
    private static func idJSON(_ idNode: Int, in text: borrowing JSONText) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        writeID(idNode, text, &writer)
        return writer.bytes
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

    /// Writes a JSON-RPC reply with an error that belongs to no request.
    public mutating func reply(refusing error: CallError) {
        beginReply()
        null()
        name("error")
        self.error(error)
        endObject()
    }
}

/// The members of a valid JSON-RPC request, as nodes: indices of values in the parsed text of the request.
struct Envelope {
    /// The id; nil for a notification, which gets no reply.
    private(set) var idNode: Int?
    /// The method's name. The method may be unknown.
    private(set) var methodNode = 0
    /// The parameters: an object or an array; nil if there are none.
    private(set) var paramsNode: Int?

    /// Why a request is not valid.
    struct EnvelopeError: DescribedError {
        /// The node of the request's id; nil if there is no valid id.
        let idNode: Int?
        let why: String
    }

    /// Reads the request at a node.
    init(_ node: Int, in text: borrowing JSONText) throws(EnvelopeError) {
        guard text.kind(node) == .object else {
            throw EnvelopeError(idNode: nil, why: "a request is an object")
        }
        var versionNode: Int?
        var methodNode: Int?
        var unknownMember: Int?
        var nextName = text.first(in: node)
        while let name = nextName {
            // The node of a member's value follows the node of its name.
            let value = name + 1
            nextName = text.next(after: value, in: node)
            if text.isString("jsonrpc", at: name) {
                versionNode = value
            } else if text.isString("method", at: name) {
                methodNode = value
            } else if text.isString("params", at: name) {
                paramsNode = value
            } else if text.isString("id", at: name) {
                idNode = value
            } else {
                unknownMember = name
            }
        }
        if let idNode, !Self.isID(idNode, text) {
            throw EnvelopeError(
                idNode: nil, why: "id: expected a string, or an integer within ±(2^53 − 1)")
        }
        guard let versionNode, text.isString("2.0", at: versionNode) else {
            throw EnvelopeError(idNode: idNode, why: "jsonrpc: expected \"2.0\"")
        }
        guard let methodNode, text.kind(methodNode) == .string else {
            throw EnvelopeError(idNode: idNode, why: "method: expected a string")
        }
        if let unknownMember {
            throw EnvelopeError(
                idNode: idNode, why: "\(text.string(at: unknownMember) ?? ""): unknown")
        }
        // An array is refused later, with an error that explains why.
        if let paramsNode, text.kind(paramsNode) != .object, text.kind(paramsNode) != .array {
            throw EnvelopeError(idNode: idNode, why: "params: expected an object")
        }
        self.methodNode = methodNode
    }

    /// Whether the value at a node can be an id.
    private static func isID(_ node: Int, _ text: borrowing JSONText) -> Bool {
        switch text.kind(node) {
        case .number: text.int(at: node) != nil
        case .string: text.flaw(at: node) == nil
        default: false
        }
    }

    /// The requested method; nil if no method has that name.
    func method(in text: borrowing JSONText) -> Method? {
        // The most frequent method is compared first.
        if text.isString("send", at: methodNode) { return .send }
        return text.string(at: methodNode).flatMap(Method.init(name:))
    }
}
