internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The methods `move` and `undo`. They return the number of the journal row that must be durable before the result is sent.
extension Dispatcher {
    /// Moves a session to the newest version of its flow, and writes the change that the move makes.
    func move(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry),
            sentSince: caller.sentSince)
        let session = try session(params, .move, caller)
        let answer: Answer<Change>
        do { answer = try sessions.move(session, context) } catch { throw .refused(error) }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }

    /// Takes a session back to its situation before its newest step, or after the change with the number `seq`. Writes the
    /// change that the undo makes.
    func undo(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        let context = RequestContext(
            from: caller.source, id: try id(params, caller), entry: try params.count(.entry),
            sentSince: caller.sentSince)
        let seq = try params.count(.seq)
        let session = try session(params, .undo, caller)
        let answer: Answer<Change>
        do { answer = try sessions.undo(after: seq, session, context) } catch {
            throw .refused(error)
        }
        encoder.write(answer.value, caller.rights.view(session.name), to: &writer)
        return answer.row
    }
}
