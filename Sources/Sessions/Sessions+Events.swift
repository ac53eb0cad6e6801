public import GameFlow
internal import Support
internal import Timers

/// Sending events to a session.
extension Sessions {
    /// Sends the event with this name to a session, as `send(_:_:to:_:)` does with a `RequestedEvent`.
    @discardableResult public func send(
        _ event: String, _ arguments: [Member] = [], to session: Session,
        _ context: borrowing RequestContext
    ) throws(RequestError) -> Answer<Change> {
        try send(RequestedEvent(event, in: session.flow), arguments, to: session, context)
    }

    /// Sends an event to a session. Returns the first change that the event caused, or the beat if it caused no
    /// change.
    ///
    /// A call during a step is refused. Hooks and transitions run during a step; their code must post the event to its machine
    /// instead.
    ///
    /// `receipt` is given for an event that waits for others, even if it did not; it is stored with the change or the refusal.
    package func send(
        _ event: RequestedEvent, _ arguments: [Member], to session: Session,
        _ context: borrowing RequestContext, receipt: Change.Receipt? = nil
    ) throws(RequestError) -> Answer<Change> {
        defer { finishRequest() }
        do throws(RequestError) {
            if let cached = try cachedAnswer(to: context, of: session.name) {
                return cached
            }
            if hasCollectWindows { endCollecting(before: event, arguments, session, context) }
            let change = try perform(event, arguments, session, context, receipt)
            return answer(change, to: context, of: session)
        } catch {
            // The error `storage` does not mean that the event was refused, so no refused event is added.
            if case .storage = error { throw error }
            refuse(
                EventRecord(event.name(in: session.flow), arguments), from: context.source, error,
                of: session, receipt: receipt)
            throw error
        }
    }

    /// Sends the event to the session's machine, if the sender may send it now.
    private func perform(
        _ event: RequestedEvent, _ arguments: [Member], _ session: Session,
        _ context: borrowing RequestContext, _ receipt: Change.Receipt?
    ) throws(RequestError) -> Change {
        let (machine, eventIndex) = try checkReceipt(event, session, context)
        let details = receipt.map { Change.Details($0) }
        let result: Result
        do throws(RequestError) {
            result = try call(context, on: session, details: details) { () throws(Reason) in
                try machine.send(eventIndex, arguments, from: context.source)
            }
        } catch {
            throw refusal(of: eventIndex, arguments, session, context.source) ?? error
        }
        if let refusal = result.refusal {
            // An argument without a field was refused before anything happened. People may name a duration without `Ms`.
            if refusal.code == .invalid,
                let named = arguments.namingDurations(
                    in: machine.flow.schema(of: eventIndex).parameters)
            {
                return try perform(event, named, session, context, receipt)
            }
            throw explain(refusal, event.name(in: machine.flow), session, context.source)
        }
        return result.change ?? session.lastChange
    }

    /// Returns the error with which the session would refuse the event if the store worked. Nil if the session would take the event, and
    /// while the store works. Without it, the client would send the event again in vain. The state of a suspended session is not
    /// known, so the result is nil.
    @inline(never) private func refusal(
        of event: EventIndex, _ arguments: [Member], _ session: Session, _ source: Source
    ) -> RequestError? {
        let (machine, flow) = (session.machine, session.flow)
        guard outage != nil, recording.suspended[session.name] == nil else { return nil }
        let given = arguments.namingDurations(in: flow.schema(of: event).parameters) ?? arguments
        return flow.refusal(of: event, given, from: source, in: machine.snapshot, at: now)
            .map { explain($0, flow.schema(of: event).name, session, source) }
    }

    /// Checks everything about an event that the machine does not decide. Returns the machine and the event's index.
    @inline(__always) func checkReceipt(
        _ event: RequestedEvent, _ session: Session, _ context: borrowing RequestContext
    ) throws(RequestError) -> (AnyMachine, EventIndex) {
        let source = context.source
        try checkLinkedStepLimit(source)
        // The machine is read only once, because each access to a session's machine counts a reference.
        let machine = session.machine
        let eventIndex: EventIndex
        switch event {
        case .known(let index): eventIndex = index
        case .unknown(let name):
            do { eventIndex = try machine.flow.event(name) } catch {
                throw explain(error, name, session, source)
            }
        }
        // The flow can restrict an event to some kinds of sources. If the sender's kind is not among them, `sources` are these
        // kinds; otherwise `sources` is nil.
        if let sources = machine.flow.allowedSources(
            of: eventIndex, ifForbiddenTo: source.kind)
        {
            throw .forbidden(
                .event(event.name(in: machine.flow)), source: source.kind,
                needs: .right("a source of kind \(sources.joined(separator: " or "))"))
        }
        if let findMissingRight = context.missingRight {
            let name = event.name(in: machine.flow)
            if let missingRight = findMissingRight(name) {
                throw .forbidden(.event(name), source: source.kind, needs: .right(missingRight))
            }
        }
        if let limit = context.ageLimitMs, context.ageMs > limit {
            throw .stale(ageMs: context.ageMs, limitMs: limit)
        }
        try checkEntry(context.entry, of: session)
        return (machine, eventIndex)
    }

    // MARK: request ids

    /// Returns the cached answer to a request that is answered with a session. Nil if the id is new, or if the request has no
    /// id. If there is a cached answer, the caller must change nothing.
    ///
    /// The cached answer is the status with which the first request with the id was answered. If the first request was answered
    /// with a change instead, the function returns the session at the present instant.
    public func answer(to context: RequestContext, of name: SessionName) throws(RequestError)
        -> Answer<SessionStatus>?
    {
        guard let cached = try findAnswer(to: context, of: name) else { return nil }
        let status: SessionStatus? =
            switch cached.content {
            case .status(let status): status
            case .recorded(let status): describe(cached.change, status)
            case .change: nil
            }
        guard let answer = status ?? openSession(name)?.status else { return nil }
        return Answer(answer, row: cached.row)
    }

    /// Returns the session after a recorded change; nil if the flow of the session no longer exists.
    private func describe(_ change: Change, _ status: SessionRecord.Status) -> SessionStatus? {
        guard let flow = try? catalog.flow(of: status) else { return nil }
        return SessionStatus(change, status, flow)
    }

    /// Returns the cached answer to a request that is answered with a change; nil as for `answer(to:of:)`. If there is a cached
    /// answer, the caller must change nothing.
    func cachedAnswer(to context: borrowing RequestContext, of name: SessionName)
        throws(RequestError) -> Answer<Change>?
    {
        guard let cached = try findAnswer(to: context, of: name) else { return nil }
        return Answer(cached.change, row: cached.row)
    }

    /// Returns the answer to the first request with the id of this request; nil if the id is new, the request has none, or a
    /// journal says that it was executed. Throws if the request may repeat one whose answer is forgotten.
    private func findAnswer(to context: borrowing RequestContext, of name: SessionName)
        throws(RequestError) -> CachedAnswer?
    {
        guard let id = context.id, !context.isRecorded else { return nil }
        // A session that is not decoded yet knows whether its answers were forgotten.
        decode(name)
        if let answer = idempotencyCache.answer(id, of: name) { return answer }
        let forgotten = idempotencyCache.forgottenTime(
            of: id, of: name, sentSince: isVirtual ? nil : context.sentSince, now: now)
        guard let forgotten else { return nil }
        throw .staleID(id, forgottenMs: Int(forgotten.milliseconds))
    }

    /// Whether the answer to a request of this session with this id is remembered, so that a repetition changes nothing.
    package func remembers(_ id: String, of name: SessionName) -> Bool {
        idempotencyCache.answer(id, of: name) != nil
    }

    /// Throws if the request was meant for another entry than the session's present one.
    func checkEntry(_ entry: Int?, of session: Session) throws(RequestError) {
        guard let entry, entry != session.entry else { return }
        throw .staleEntry(entry, present: session.entry)
    }

    /// Runs `work`, the call of a session's machine that a request needs. Throws if the store does not work, or if a step is
    /// being made: the machines are not in a consistent state then. `details` are stored with the change.
    func call(
        _ context: borrowing RequestContext, on session: Session, details: Change.Details? = nil,
        _ work: () throws(Reason) -> Void
    ) throws(RequestError) -> Result {
        try checkCall(on: session.name, for: context)
        return run(id: context.id, on: session, details: details, work)
    }

    /// Throws if a step is being made, or if the store does not work.
    func checkCall(on name: SessionName, for context: borrowing RequestContext)
        throws(RequestError)
    {
        // Calls cannot be nested, so clients see the limit 0.
        guard !isRunning else { throw .limit(which: "nestedCalls", limit: 0) }
        try checkStoreWorks(for: name, hasID: context.id != nil)
    }

    /// Answers a request with the change that it made, and remembers the answer if the request has an id.
    func answer(_ change: Change, to context: borrowing RequestContext, of session: Session)
        -> Answer<Change>
    {
        remember(change, .change, context, of: session)
        return Answer(change, row: row(of: session))
    }

    /// Adds an answer to the idempotency cache if the request has an id.
    func remember(
        _ change: Change, _ content: @autoclosure () -> CachedAnswer.Content,
        _ context: borrowing RequestContext, of session: Session
    ) {
        guard let id = context.id else { return }
        let row = session.newestCheckpoint.newestRow.position
        let removed = idempotencyCache.remember(
            CachedAnswer(change: change, content: content(), row: row, at: now), as: id, now: now)
        // The removed answers are put back if this call is undone.
        if !removed.isEmpty { recording.pending.changeLast { $0.removedAnswers += removed } }
    }
}

/// Converts a flow's refusal to an error with the data that a client needs.
extension Sessions {
    /// Converts the refusal of an event, or of a timer's signal, that `source` sent to a session.
    func explain(_ refusal: Reason, _ event: String, _ session: Session, _ source: Source)
        -> RequestError
    {
        let state = session.machine.place.state
        switch refusal.code {
        case .noTransition:
            return .noTransition(
                event: event, state: state, accepts: session.machine.accepts,
                last: session.lastSummary)
        case .invalid:
            return .invalid(
                .event(event), argument: refusal.subject, why: refusal.why,
                isOfFlow: refusal.isOfFlow)
        case .finished: return .finished(state: state)
        case .forbidden: return .forbidden(.event(event), source: source.kind, needs: .timer)
        case .unknownEvent:
            let names = session.flow.events.map(\.name)
            return .unknownEvent(event, didYouMean: DidYouMean.suggest(event, names))
        case .deferQueueFull: return .deferQueueFull(limit: AnyMachine.deferLimit)
        case .tooManyPosts: return .limit(which: "linkedSteps", limit: EventQueue.postLimit)
        case .hookRefused, .handlerRefused:
            return .hookRefused(hook: refusal.subject, why: refusal.why)
        case .unknownState:
            // A request to send an event names no state. This reason occurs only if a selector wrongly throws it.
            return .invalid(.event(event), argument: "state", why: "unknown")
        case .stale:
            // The machine uses this reason only for the result of an effect handler that came too late. The sessions check the
            // `entry` of a request before they call the machine.
            return .staleEntry(session.entry, present: session.entry)
        }
    }

    /// Converts the refusal of a state that was requested by name.
    func explain(_ refusal: Reason, state: String, _ flow: AnyFlow) -> RequestError {
        switch refusal.code {
        case .unknownState:
            return .unknownState(state, didYouMean: DidYouMean.suggest(state, flow.stateNames))
        case .invalid:
            return .invalid(
                .state(state), argument: refusal.subject, why: refusal.why,
                isOfFlow: refusal.isOfFlow)
        case .noTransition, .finished, .forbidden, .unknownEvent, .deferQueueFull,
            .hookRefused, .handlerRefused, .tooManyPosts, .stale:
            // A flow's `entering` should not throw these reasons. They occur only if it throws one of them by mistake.
            return .invalid(.state(state), argument: "state", why: refusal.name)
        }
    }
}
