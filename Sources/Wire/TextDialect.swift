internal import JSON
internal import Sessions

/// The dialect for people: a verb and its words, answered by one line.
final class TextDialect {
    private let dispatcher: Dispatcher
    private var params = Params()

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func answer(_ line: ArraySlice<UInt8>, _ peer: any Peer, _ writer: inout JSONWriter) {
        let start = writer.count
        do throws(CallError) {
            let request = try TextRequest(words(line))
            try read(request)
            writer.raw("OK ")
            try dispatcher.call(request.method, params, from: peer, into: &writer)
            writer.newline()
        } catch {
            writer.truncate(to: start)
            refuse(error, &writer)
        }
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
        writer.raw("ERR ")
        writer.raw(error.name)
        writer.raw(" ")
        error.writeData(to: &writer)
        writer.newline()
    }
}
