internal import JSON
internal import Sessions

/// JSON-RPC 2.0: one message, or a batch of them, on a line.
final class JSONDialect {
    /// How long a batch's answer may grow before the rest of the batch is refused.
    static let batchLimit = 8 << 20

    private let dispatcher: Dispatcher
    private var text = JSONText()

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func answer(_ line: ArraySlice<UInt8>, _ peer: any Peer, _ writer: inout JSONWriter) {
        var text = exchange(&self.text, with: JSONText())  // out of the class: looked at very often
        defer { self.text = text }
        do throws(JSONError) { try text.read(line) } catch {
            switch error {
            case .malformed(let why, let at):
                return refuse(.parseError("\(why), at byte \(at)"), &writer)
            case .tooDeep:
                return refuse(
                    .refused(.limit(which: "depth", limit: JSONText.depthLimit)), &writer)
            }
        }
        if text.kind(JSONText.root) == .array {
            batch(text, peer, &writer)
        } else {
            message(JSONText.root, of: text, peer, &writer)
            endLine(&writer)
        }
    }

    /// An error that belongs to no request.
    func refuse(_ error: CallError, _ writer: inout JSONWriter) {
        reply(.none, error, &writer)
        endLine(&writer)
    }

    /// A line's end, if there is a line.
    private func endLine(_ writer: inout JSONWriter) {
        if !writer.isAtLineStart { writer.newline() }
    }

    /// Answers in one line, if there is anything to answer. Each of a batch's requests stands for
    /// itself: one that is refused does not undo the ones before it.
    private func batch(_ text: JSONText, _ peer: any Peer, _ writer: inout JSONWriter) {
        let requests = Array(text.children(of: JSONText.root))
        if requests.isEmpty { return refuse(.invalidRequest("an empty batch"), &writer) }
        let start = writer.count
        writer.beginArray()
        let first = writer.count
        for request in requests {
            if writer.count - start > Self.batchLimit {
                let full = CallError.refused(.limit(which: "batchBytes", limit: Self.batchLimit))
                refuseUnread(request, of: text, full, &writer)
            } else {
                message(request, of: text, peer, &writer)
            }
        }
        if writer.count == first {
            writer.truncate(to: start)
        } else {
            writer.endArray()
            writer.newline()
        }
    }

    private func refuseUnread(
        _ node: Int, of text: JSONText, _ error: CallError, _ writer: inout JSONWriter
    ) {
        guard let envelope = try? Envelope(node, in: text), let id = envelope.id else { return }
        reply(id, error, &writer)
    }

    private func message(
        _ node: Int, of text: JSONText, _ peer: any Peer, _ writer: inout JSONWriter
    ) {
        let envelope: Envelope
        do throws(Envelope.Broken) { envelope = try Envelope(node, in: text) } catch {
            return reply(error.id, .invalidRequest(error.why), &writer)
        }
        let start = writer.count
        do throws(CallError) {
            begin(envelope.id ?? .none, &writer)
            writer.name("result")
            try call(envelope, of: text, peer, &writer)
            writer.endObject()
            if envelope.id == nil { writer.truncate(to: start) }
        } catch {
            writer.truncate(to: start)
            if let id = envelope.id { reply(id, error, &writer) }
        }
    }

    private func call(
        _ envelope: Envelope, of text: JSONText, _ peer: any Peer, _ writer: inout JSONWriter
    ) throws(CallError) {
        guard let method = envelope.method(in: text) else {
            throw .methodNotFound(text.string(at: envelope.methodNode) ?? "")
        }
        if let params = envelope.params, text.kind(params) != .object {
            throw .invalidParams("parameters go by name, not by position")
        }
        let params = try Params(envelope.params, in: text, of: method)
        try dispatcher.call(method, params, from: peer, into: &writer)
    }

    private func begin(_ id: RequestID, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.raw("\"jsonrpc\":\"2.0\",\"id\":")
        switch id {
        case .none: writer.null()
        case .int(let number): writer.int(number)
        case .string(let text): writer.string(text)
        }
    }

    private func reply(_ id: RequestID, _ error: CallError, _ writer: inout JSONWriter) {
        begin(id, &writer)
        writer.name("error")
        error.write(to: &writer)
        writer.endObject()
    }
}

/// What a reply is matched with its request by.
enum RequestID {
    /// The request could not be read so far.
    case none
    case int(Int)
    case string(String)
}
