internal import JSONCoding
internal import Sessions

/// The methods `label` and `say`: labels of sessions, and messages to their screens. Each function writes the change, and
/// returns the number of the journal row that must be durable before the result is sent.
extension Dispatcher {
    /// Sets labels of a session.
    func label(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), sentSince: caller.sentSince)
        let session = try session(params, .label, caller)
        let answer: Answer<Change>
        do { answer = try sessions.label(params.object(.labels), session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Shows a message on the screens of a session until the next message, or for the duration in the parameter `for`.
    func say(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), sentSince: caller.sentSince)
        let length = try params.duration(.length)
        let session = try session(params, .say, caller)
        let answer: Answer<Change>
        do {
            answer = try sessions.say(params.required(.text), for: length, session, context)
        } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }
}
