internal import GameFlow
internal import JSONCoding
internal import Sessions

/// Answers the lines of the text dialect, which is for people. A line consists of a verb and words. The answer is one line that
/// begins with `OK` or `ERR`. `ProtocolHandler` calls this class.
final class TextDialect {
    private let dispatcher: Dispatcher
    /// The parameters of the request that is being executed; reused for all requests.
    private var params = Params()

    init(_ dispatcher: Dispatcher) { self.dispatcher = dispatcher }

    /// Executes a line and writes the answer to the outbox.
    func answer(_ line: ArraySlice<UInt8>, _ caller: any Caller, _ outbox: ReplyBuffer) {
        let start = outbox.writer.count
        var method: Method?
        let outcome = execute(line, caller, &outbox.writer, &method)
        if case .refused(let error, _) = outcome {
            outbox.writer.truncate(to: start)
            error.writeLine(to: &outbox.writer)
        }
        outbox.holdIfNecessary(
            outcome, of: method, from: start, durable: dispatcher.sessions.durableRow,
            dispatcher.meter
        ) {
            .text
        }
        outbox.writer.newline()
    }

    /// Counts a line and executes it, and writes `OK` and the result. If the outcome is an error or a deferred result, `answer` then
    /// removes the bytes that this function has written. Sets `method` if the line names one.
    private func execute(
        _ line: ArraySlice<UInt8>, _ caller: any Caller, _ writer: inout JSONWriter,
        _ method: inout Method?
    ) -> CallOutcome {
        if let error = caller.countRequest() { return .refused(.refused(error)) }
        let outcome = perform(line, caller, &writer, &method)
        if case .refused(let error, _) = outcome { caller.countRefusal(error) }
        return outcome
    }

    /// Executes a line that was counted. The parameters are those of `execute`.
    private func perform(
        _ line: ArraySlice<UInt8>, _ caller: any Caller, _ writer: inout JSONWriter,
        _ method: inout Method?
    ) -> CallOutcome {
        do throws(CallError) {
            let words = try words(line)
            if words.first?.text == "help" {
                writeVerbs(&writer)
                return .succeeded
            }
            let request = try TextRequest(words)
            method = request.method
            if let router = dispatcher.router, let routed = RoutedRequest(request, line) {
                writer.raw("OK ")
                return .deferred(router.route(routed, from: caller))
            }
            try read(request, caller)
            writer.raw("OK ")
            return dispatcher.call(request.method, params, from: caller, into: &writer)
        } catch { return .refused(error) }
    }

    private func words(_ line: ArraySlice<UInt8>) throws(CallError) -> [TextWord] {
        do { return try TextWords.split(line) } catch { throw CallError(error) }
    }

    /// Answers a line that begins with `?`: lists the verbs, as for the verb `help`.
    func answerHelp(_ caller: any Caller, _ writer: inout JSONWriter) {
        if let error = caller.countRequest() {
            CallError.refused(error).writeLine(to: &writer)
            caller.outbox.countRefusal()
            dispatcher.meter.count(nil, .limited)
        } else {
            writeVerbs(&writer)
            dispatcher.meter.count(nil, .ok)
        }
        writer.newline()
    }

    /// Writes the verbs, which are the names of the methods.
    private func writeVerbs(_ writer: inout JSONWriter) {
        writer.raw("OK ")
        writer.beginObject()
        writer.name("verbs")
        writer.strings(Method.allCases.map(\.name))
        writer.endObject()
    }

    /// Converts the words of a request to `params`. The parameters pass the same checks as the parameters of a JSON-RPC
    /// request, so that both dialects have the same semantics.
    private func read(_ request: TextRequest, _ caller: any Caller) throws(CallError) {
        let members = try request.subject.map { (subject) throws(CallError) in
            try typedParams(request, subject, caller)
        }
        try params.read(members ?? request.params(), of: request.method)
    }

    /// The parameters of the request, with words converted to the types that the flow declares for `subject`. If the flow is
    /// not found, the words are not converted, and the dispatcher reports the error later. Throws an error with a hint if the
    /// word after `open` is not a state, and may be meant as a session.
    private func typedParams(
        _ request: TextRequest, _ subject: TextRequest.Subject, _ caller: any Caller
    )
        throws(CallError) -> [Member]
    {
        guard let flow = flow(of: subject) else { return request.params() }
        let fields: [Field]
        switch subject {
        case .event(let name, _):
            fields = flow.events.first { $0.name == name }?.parameters ?? []
        case .state(let name, _): fields = flow.data(of: name)
        case .opening(let name, _):
            if !flow.stateNames.contains(name), caller.rights.has(.operate),
                let hint = request.hintForUnknownState(flow: flow.name)
            {
                throw .invalidParams(hint)
            }
            fields = flow.data(of: name)
        }
        return request.params { name in fields.first { $0.name == name }?.type }
    }

    /// The flow that declares the subject; nil if no flow does.
    private func flow(of subject: TextRequest.Subject) -> AnyFlow? {
        let sessions = dispatcher.sessions
        switch subject {
        case .event(_, let session), .state(_, let session):
            guard let name = SessionName(session) else { return nil }
            return (try? sessions.session(name))?.flow
        case .opening(_, let flow):
            guard let flow else { return sessions.flows.first }
            return sessions.flows.first { $0.name == flow }
        }
    }

    /// Writes the error as an answer.
    func refuse(_ error: CallError, _ writer: inout JSONWriter) {
        error.writeLine(to: &writer)
        writer.newline()
    }
}
