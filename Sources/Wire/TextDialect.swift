internal import JSON
internal import Sessions

/// The dialect for people: a verb and its words, answered by one line.
final class TextDialect {
    private let dispatcher: Dispatcher

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    func answer(_ line: ArraySlice<UInt8>, _ peer: any Peer, _ writer: inout JSONWriter) {
        let start = writer.count
        do throws(CallError) {
            let request = try TextRequest(TextWords.split(line))
            writer.raw("OK ")
            try dispatcher.call(request.method, request.params, from: peer, into: &writer)
            writer.newline()
        } catch {
            writer.truncate(to: start)
            refuse(error, &writer)
        }
    }

    func refuse(_ error: CallError, _ writer: inout JSONWriter) {
        writer.raw("ERR ")
        writer.raw(Array(error.name.utf8))
        writer.raw(" ")
        error.writeData(to: &writer)
        writer.newline()
    }
}
