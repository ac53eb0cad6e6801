internal import JSONCoding
internal import Sessions

/// Labels of sessions, and messages to their screens.
extension Dispatcher {
    /// Each of these methods returns the journal row that its result waits for.
    func label(_ params: borrowing Params, _ peer: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(from: peer.source, id: try id(params, peer))
        let session = try session(params, .label, peer)
        let answer: Answer<Change>
        do { answer = try sessions.label(params.object(.labels), session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, peer.rights.view(session.name), to: &writer)
        return answer.row
    }

    func say(_ params: borrowing Params, _ peer: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(from: peer.source, id: try id(params, peer))
        let length = try params.interval(.length)
        let session = try session(params, .say, peer)
        let answer: Answer<Change>
        do {
            answer = try sessions.say(params.required(.text), for: length, session, context)
        } catch { throw .refused(error) }
        encoder.write(answer.value, peer.rights.view(session.name), to: &writer)
        return answer.row
    }
}
