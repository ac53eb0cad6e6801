internal import JSON
internal import Sessions

/// JSON-RPC 2.0: one message, or a batch of them, on a line.
final class JSONDialect {
    /// How long a batch's answer may grow before the rest of the batch is refused.
    static let batchLimit = 8 << 20

    private let dispatcher: Dispatcher
    /// What the line at hand says; used again for the next.
    private var params = Params()

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func answer(_ line: ArraySlice<UInt8>, _ peer: any Peer, _ outbox: Outbox) {
        do throws(JSONError) { try params.text.read(line) } catch {
            if let error = peer.overdraws() { return refuse(.refused(error), &outbox.writer) }
            guard case .malformed(let why, let at) = error else {
                return refuse(CallError(error), &outbox.writer)
            }
            return refuse(.parseError("\(why), at byte \(at)"), &outbox.writer)
        }
        if params.text.kind(JSONText.root) == .array {
            batch(peer, outbox)
        } else {
            message(JSONText.root, &params, peer, outbox)
            endLine(&outbox.writer)
        }
    }

    /// An error that belongs to no request.
    func refuse(_ error: CallError, _ writer: inout JSONWriter) {
        reply(nil, error, in: params.text, &writer)
        endLine(&writer)
    }

    /// A line's end, if there is a line.
    private func endLine(_ writer: inout JSONWriter) {
        if !writer.isAtLineStart { writer.newline() }
    }

    /// Answers in one line, if there is anything to answer. Each of a batch's requests stands for
    /// itself: one that is refused does not undo the ones before it.
    private func batch(_ peer: any Peer, _ outbox: Outbox) {
        let requests = params.text.children(of: JSONText.root)
        if requests.isEmpty { return refuse(.invalidRequest("an empty batch"), &outbox.writer) }
        let start = outbox.writer.count
        outbox.writer.beginArray()
        let first = outbox.writer.count
        for request in requests {
            // A page of history that is promised is counted as the longest one.
            let later = outbox.promises * dispatcher.sessions.limits.historyBytes
            if outbox.writer.count - start + later > Self.batchLimit {
                let full = CallError.refused(.limit(which: "batchBytes", limit: Self.batchLimit))
                refuseUnread(request, full, &outbox.writer)
            } else {
                message(request, &params, peer, outbox)
            }
        }
        if outbox.writer.count == first {
            outbox.writer.truncate(to: start)
        } else {
            outbox.writer.endArray()
            outbox.writer.newline()
        }
    }

    private func refuseUnread(
        _ node: Int, _ error: CallError, _ writer: inout JSONWriter
    ) {
        do throws(Envelope.Broken) {
            guard let id = try Envelope(node, in: params.text).id else { return }
            reply(id, error, in: params.text, &writer)
        } catch {
            reply(error.id, .invalidRequest(error.why), in: params.text, &writer)
        }
    }

    private func message(
        _ node: Int, _ params: inout Params, _ peer: any Peer, _ outbox: Outbox
    ) {
        let envelope: Envelope
        do throws(Envelope.Broken) { envelope = try Envelope(node, in: params.text) } catch {
            return reply(
                error.id, .invalidRequest(error.why), in: params.text, &outbox.writer)
        }
        let start = outbox.writer.count
        dispatcher.sessions.forgetSeen()
        let called = answer(envelope, &params, peer, &outbox.writer)
        guard let id = envelope.id else {
            if case .later(let later) = called { later.begin { _ in } }
            return outbox.writer.truncate(to: start)
        }
        outbox.settle(called, from: start, dispatcher.sessions) {
            .json(id: Self.idJSON(id, in: params.text))
        }
    }

    /// Writes the whole reply: its result, or why there is none.
    private func answer(
        _ envelope: Envelope, _ params: inout Params, _ peer: any Peer, _ writer: inout JSONWriter
    ) -> Called {
        let start = writer.count
        do throws(CallError) {
            begin(envelope.id, params.text, &writer)
            writer.name("result")
            let called = try call(envelope, &params, peer, &writer)
            writer.endObject()
            return called
        } catch {
            writer.truncate(to: start)
            reply(envelope.id, error, in: params.text, &writer)
            return .refused
        }
    }

    private func call(
        _ envelope: Envelope, _ params: inout Params, _ peer: any Peer, _ writer: inout JSONWriter
    ) throws(CallError) -> Called {
        if let error = peer.overdraws() { throw .refused(error) }
        guard let method = envelope.method(in: params.text) else {
            throw .methodNotFound(params.text.string(at: envelope.method) ?? "")
        }
        if let node = envelope.params, params.text.kind(node) != .object {
            throw .invalidParams("parameters go by name, not by position")
        }
        try params.take(envelope.params, of: method)
        return try dispatcher.call(method, params, from: peer, into: &writer)
    }

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

    /// A request's id, for a reply that is written later.
    private static func idJSON(_ id: Int, in text: borrowing JSONText) -> [UInt8] {
        var writer = JSONWriter(capacity: 64)
        write(id, text, &writer)
        return writer.bytes
    }

    private func reply(
        _ id: Int?, _ error: CallError, in text: borrowing JSONText, _ writer: inout JSONWriter
    ) {
        begin(id, text, &writer)
        writer.name("error")
        error.write(to: &writer)
        writer.endObject()
    }
}

extension JSONWriter {
    /// A JSON-RPC reply up to its id, which comes next.
    mutating func beginReply() {
        beginObject()
        raw("\"jsonrpc\":\"2.0\",\"id\":")
    }
}
