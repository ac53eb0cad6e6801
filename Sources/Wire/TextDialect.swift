internal import JSON
internal import Sessions

/// The dialect for people: a verb and its words, answered by one line.
final class TextDialect {
    private let dispatcher: Dispatcher
    private var params = Params()

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func answer(_ line: ArraySlice<UInt8>, _ peer: any Peer, _ outbox: Outbox) {
        let start = outbox.writer.count
        dispatcher.sessions.forgetSeen()
        var called = Called.done
        do throws(CallError) {
            if let error = peer.overdraws() { throw .refused(error) }
            let request = try TextRequest(words(line))
            try read(request)
            outbox.writer.raw("OK ")
            called = try dispatcher.call(
                request.method, params, from: peer, into: &outbox.writer)
        } catch {
            outbox.writer.truncate(to: start)
            error.writeLine(to: &outbox.writer)
            called = .refused
        }
        outbox.settle(called, from: start, dispatcher.sessions) { .text }
        outbox.writer.newline()
    }

    private func words(_ line: ArraySlice<UInt8>) throws(CallError) -> [TextWord] {
        do { return try TextWords.split(line) } catch { throw error.error }
    }

    /// The words' parameters, read as a JSON-RPC request's are, so that both dialects mean the same.
    private func read(_ request: TextRequest) throws(CallError) {
        let object = JSONWriter.bytes { $0.object(request.params) }
        do throws(JSONError) { try params.text.read(object[...]) } catch { throw CallError(error) }
        try params.take(JSONText.root, of: request.method)
    }

    func refuse(_ error: CallError, _ writer: inout JSONWriter) {
        error.writeLine(to: &writer)
        writer.newline()
    }
}
