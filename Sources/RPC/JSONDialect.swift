internal import GameFlow
public import JSONCoding
internal import Sessions
internal import Support

/// JSON-RPC 2.0: one message, or a batch of them, on a line.
final class JSONDialect {
    /// The limit of a batch's reply in bytes. If the reply exceeds it, the remaining requests are refused.
    static let batchLimit = 8 << 20

    private let dispatcher: Dispatcher
    /// The parsed line and the parameters of its request; kept so that their memory is reused. Nil while a request uses them.
    // Not checked for overlapping accesses: it is only moved out and in, and the check would take longer.
    @exclusivity(unchecked) private var params: Params?

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

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
        do throws(JSONError) { try params.text.read(line) } catch {
            if let error = caller.countRequest() { return refuse(.refused(error), &outbox.writer) }
            guard case .malformed = error else {
                return refuse(CallError(error), &outbox.writer)
            }
            return refuse(.parseError(error.sentence), &outbox.writer)
        }
        if params.text.kind(JSONText.root) == .array { return batch(&params, caller, outbox) }
        let outcome = message(JSONText.root, &params, caller, outbox)
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
    private func batch(_ params: inout Params, _ caller: any Caller, _ outbox: ReplyBuffer)
        -> MessageOutcome
    {
        let requests = params.text.children(of: JSONText.root)
        if requests.isEmpty { return refuse(.invalidRequest("an empty batch"), &outbox.writer) }
        let start = outbox.writer.count
        outbox.writer.beginArray()
        let firstReply = outbox.writer.count
        for request in requests {
            if outbox.writer.count - start + outbox.deferredBytes > Self.batchLimit {
                let error = CallError.refused(.limit(which: "batchBytes", limit: Self.batchLimit))
                refuseUnexecuted(request, error, in: params.text, &outbox.writer)
            } else {
                _ = message(request, &params, caller, outbox)
            }
        }
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
            guard let id = try Envelope(node, in: text).id else { return }
            reply(id, error, in: text, &writer)
        } catch {
            reply(error.id, .invalidRequest(error.why), in: text, &writer)
        }
    }

    private func message(
        _ node: Int, _ params: inout Params, _ caller: any Caller, _ outbox: ReplyBuffer
    ) -> MessageOutcome {
        let envelope: Envelope
        do throws(Envelope.EnvelopeError) { envelope = try Envelope(node, in: params.text) } catch {
            let invalid = CallError.invalidRequest(error.why)
            reply(error.id, invalid, in: params.text, &outbox.writer)
            return .error(invalid)
        }
        let start = outbox.writer.count
        let outcome = answer(envelope, &params, caller, &outbox.writer)
        guard let id = envelope.id else {
            // A notification is executed, but its result is discarded.
            if case .deferred(let result) = outcome { result.begin { _ in } }
            outbox.writer.truncate(to: start)
            return .noReply
        }
        outbox.holdIfNecessary(outcome, from: start, durable: dispatcher.sessions.durableRow) {
            .json(id: Self.idJSON(id, in: params.text))
        }
        if case .refused(let error, _) = outcome { return .error(error) }
        return .result
    }

    /// Writes the complete reply: the result or the error.
    private func answer(
        _ envelope: Envelope, _ params: inout Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        let start = writer.count
        begin(envelope.id, params.text, &writer)
        writer.name("result")
        let outcome = call(envelope, &params, caller, &writer)
        if case .refused(let error, _) = outcome {
            writer.truncate(to: start)
            reply(envelope.id, error, in: params.text, &writer)
        } else {
            writer.endObject()
        }
        return outcome
    }

    private func call(
        _ envelope: Envelope, _ params: inout Params, _ caller: any Caller,
        _ writer: inout JSONWriter
    ) -> CallOutcome {
        if let error = caller.countRequest() { return .refused(.refused(error)) }
        guard let method = envelope.method(in: params.text) else {
            return .refused(.methodNotFound(params.text.string(at: envelope.method) ?? ""))
        }
        if let node = envelope.params, params.text.kind(node) != .object {
            return .refused(
                .invalidParams("params: expected an object (parameters are named, not positional)"))
        }
        do throws(CallError) { try params.read(envelope.params, of: method) } catch {
            return .refused(error)
        }
        return dispatcher.call(method, params, from: caller, into: &writer)
    }

    /// Begins a reply and writes the request's id, or null if it has none.
    private func begin(
        _ id: Int?, _ text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        writer.beginReply()
        guard let id else { return writer.null() }
        Self.write(id, text, &writer)
    }

    private static func write(_ id: Int, _ text: borrowing JSONText, _ writer: inout JSONWriter) {
        if let number = text.int(at: id) {
            writer.int(number)
        } else {
            writer.string(text.string(at: id) ?? "")
        }
    }

    /// The id of a request as JSON. A reply that is written later needs it, because the request's text is gone by
    /// then.
    private static func idJSON(_ id: Int, in text: borrowing JSONText) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        write(id, text, &writer)
        return writer.bytes
    }

    private func reply(
        _ id: Int?, _ error: CallError, in text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        guard let id else { return writer.reply(refusing: error) }
        begin(id, text, &writer)
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

/// The validated members of a JSON-RPC request, as node indices in the request's text.
struct Envelope {
    /// Nil for a notification, which gets no reply.
    private(set) var id: Int?
    private(set) var method = 0
    private(set) var params: Int?

    /// An invalid request, with its id if that could be read.
    struct EnvelopeError: DescribedError {
        let id: Int?
        let why: String
    }

    init(_ node: Int, in text: borrowing JSONText) throws(EnvelopeError) {
        guard text.kind(node) == .object else {
            throw EnvelopeError(id: nil, why: "a request is an object")
        }
        var version: Int?
        var method: Int?
        var unknownMember: Int?
        var nextName = text.first(in: node)
        while let name = nextName {
            // The node of a member's value follows the node of its name.
            let value = name + 1
            nextName = text.next(after: value, in: node)
            if text.isString("jsonrpc", at: name) {
                version = value
            } else if text.isString("method", at: name) {
                method = value
            } else if text.isString("params", at: name) {
                params = value
            } else if text.isString("id", at: name) {
                id = value
            } else {
                unknownMember = name
            }
        }
        if let id, !Self.isID(id, text) {
            throw EnvelopeError(
                id: nil, why: "id: expected a string, or an integer within ±(2^53 − 1)")
        }
        guard let version, text.isString("2.0", at: version) else {
            throw EnvelopeError(id: id, why: "jsonrpc: expected \"2.0\"")
        }
        guard let method, text.kind(method) == .string else {
            throw EnvelopeError(id: id, why: "method: expected a string")
        }
        if let unknownMember {
            throw EnvelopeError(
                id: id, why: "\(text.string(at: unknownMember) ?? ""): unknown")
        }
        if let params, text.kind(params) != .object, text.kind(params) != .array {
            throw EnvelopeError(id: id, why: "params: expected an object")
        }
        self.method = method
    }

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
        if text.isString("send", at: method) { return .send }
        return text.string(at: method).flatMap(Method.init(name:))
    }
}
