package import GameFlow

extension Sessions {
    /// Makes the request again that made a recorded change. `id` is the id of the recorded request.
    package func perform(_ request: ChangeKind.Request, of change: Change, id: String?)
        throws(RequestError)
    {
        var context = RequestContext(from: change.step.source, id: id)
        context.isRecorded = true
        try request(self, change.session, context)
    }

    /// The flow that a recorded session plays.
    func recordedFlow(_ choice: FlowChoice) throws(RequestError) -> AnyFlow {
        do { return try catalog.flow(choice) } catch {
            guard choice.sourceVersion != nil || !choice.settings.isEmpty else {
                throw .unknownFlow(choice.name, didYouMean: [])
            }
            throw .invalid(.flow(choice.name), argument: "version", why: error.why)
        }
    }
}

extension SessionRecord {
    /// What caused a record.
    package enum Cause {
        /// A request, which a replay can make again. The change is what it made, or its answer if it made none.
        case request(ChangeKind.Request, of: Change)
        /// A timer of the session fired. `missed` is the number of a pendulum's periods that were missed before this firing.
        case firing(signal: String, missed: Int)
        /// The preceding record of the same call. When that call is repeated, the consequence happens by itself.
        case consequence
        /// The record says nothing of a change: it is of the daemon itself, or of a refused event.
        case other

        /// The kind of the change that was requested; nil if nothing was requested.
        package var requestedKind: Step.Kind? {
            if case .request(_, let change) = self { change.kind } else { nil }
        }
    }

    /// Derives what caused the record. Throws if the record lacks what is needed to make its request again.
    package func cause() throws(UnreadableRowError) -> Cause {
        switch body {
        case .change(let recorded): try recorded.cause()
        case .rest(let recorded, let rest): try rest.cause(recorded)
        case .refusal, .start, .advance, .quarantineGivenUp, .forgotten, .flowText, .deliveries,
            .clock:
            .other
        }
    }
}

extension SessionRecord.Status {
    /// The request or the firing that made the change.
    fileprivate func cause() throws(UnreadableRowError) -> SessionRecord.Cause {
        if isConsequence { return .consequence }
        if let request = try change.request(self) { return .request(request, of: change) }
        let step = change.step
        guard let event = step.event else { throw UnreadableRowError(why: "event: missing") }
        if step.source.kind == .timer { return .firing(signal: event.name, missed: step.missed) }
        return .request(change.sending(event), of: change)
    }
}

extension SessionRecord.Rest {
    /// The request that was answered without a change, or the countdown that fired.
    fileprivate func cause(_ recorded: SessionRecord.Status) throws(UnreadableRowError)
        -> SessionRecord.Cause
    {
        if let answer, answer.details != nil, let request = try answer.request(recorded) {
            return .request(request, of: answer)
        }
        if let answer, let event = answer.step.event {
            return .request(answer.sending(event), of: answer)
        }
        guard !recorded.isConsequence, let fired else { return .consequence }
        // A countdown has no periods that it could miss.
        return .firing(signal: fired, missed: 0)
    }
}

extension Change {
    /// The operator's request that made the change; nil if an event made it. `status` is the session's status after it.
    fileprivate func request(_ status: SessionRecord.Status) throws(UnreadableRowError)
        -> ChangeKind.Request?
    {
        try ChangeKind.find(number: step.kind.number)?.request?(self, status)
    }

    /// The request that sent the event of the change.
    fileprivate func sending(_ event: EventRecord) -> ChangeKind.Request {
        let receipt = details?.value as? Receipt
        return { (sessions, name, context) throws(RequestError) in
            let session = try sessions.session(name)
            _ = try sessions.send(
                RequestedEvent(event.name, in: session.flow), event.arguments, to: session,
                context, receipt: receipt)
        }
    }
}
