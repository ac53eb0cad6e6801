public import GameFlow
internal import Support

/// Events that are sent to a session, and orders of an operator.
extension Sessions {
    /// Sends an event to a session. Returns the first change that it led to, or the beat that stands for it.
    ///
    /// Not to be called from inside a step (a hook, a transition): that is refused. Such code posts to its machine.
    @discardableResult public func send(
        _ event: String, _ arguments: [Member] = [], to session: Session,
        _ context: borrowing RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let given = given(context, to: session.name) {
            return Answer(given.value.change, row: given.row)
        }
        do throws(RequestError) {
            let change = try take(event, arguments, session, context)
            remember(CachedAnswer(change: change, shown: .change), context, of: session)
            return Answer(change, row: row(of: session))
        } catch {
            // What was taken and could not be kept was not refused by the flow.
            if case .storage = error { throw error }
            keepRefused(
                EventRecord(event, arguments), context.source, error, of: session,
                after: session.seq)
            publish()
            throw error
        }
    }

    private func take(
        _ event: String, _ arguments: [Member], _ session: Session,
        _ context: borrowing RequestContext
    ) throws(RequestError) -> Change {
        let source = context.source
        let index: EventIndex
        do { index = try session.flow.event(event) } catch {
            throw explain(error, event, session, source)
        }
        if let lacking = context.lacks?(event) {
            throw .forbidden(.event(event), source: source.kind, needs: .right(lacking))
        }
        if let limit = context.ageLimitMs, context.ageMs > limit {
            throw .stale(ageMs: context.ageMs, limitMs: limit)
        }
        try check(context.entry, session)
        let result = try call(context, on: session) { () throws(Reason) in
            try session.machine.send(index, arguments, from: source)
        }
        if let refusal = result.refusal { throw explain(refusal, event, session, source) }
        return result.change ?? session.lastChange
    }

    /// Puts a session into any state, by an operator's order: the selector is not asked.
    @discardableResult public func goto(
        _ state: String, _ data: [Member] = [], _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let given = given(context, to: session.name) {
            return Answer(given.value.change, row: given.row)
        }
        try check(context.entry, session)
        let result = try call(context, on: session, order: .override(reason: context.reason)) {
            () throws(Reason) in
            try session.machine.goto(state, data, from: context.source)
        }
        if let refusal = result.refusal { throw explain(refusal, state: state, session.flow) }
        let change = result.change ?? session.lastChange
        remember(CachedAnswer(change: change, shown: .change), context, of: session)
        return Answer(change, row: row(of: session))
    }

    // MARK: ids

    /// The first answer to a request with a known id that is answered with a session: as it was then, and nothing of
    /// what has happened since. Nil if the id is not known, or the request has none.
    ///
    /// An id that a request of another kind has used changes nothing either: it gets the session as it is now.
    public func answer(to context: RequestContext, of name: SessionName) -> Answer<SessionStatus>? {
        guard let given = given(context, to: name) else { return nil }
        let (change, status): (Change, SessionStatus?) =
            switch given.value.shown {
            case .status(let status): (given.value.change, status)
            case .recorded(let status): (given.value.change, describe(given.value.change, status))
            case .change: (given.value.change, nil)
            }
        guard let shown = status ?? index[change.session]?.status else { return nil }
        return Answer(shown, row: given.row)
    }

    /// A session as it was after a recorded change; nil if there is no such flow any more.
    private func describe(_ change: Change, _ status: SessionRecord.Status) -> SessionStatus? {
        guard let flow = flows.first(where: { $0.name == status.flow }) else { return nil }
        return SessionStatus(change, status, flow)
    }

    func given(_ context: borrowing RequestContext, to name: SessionName) -> Answer<CachedAnswer>? {
        guard let id = context.id, let (answer, row) = receipts.answer(id, of: name) else {
            return nil
        }
        return Answer(answer, row: row)
    }

    /// Throws if a request was meant for an entry that is over.
    func check(_ entry: Int?, _ session: Session) throws(RequestError) {
        guard let entry, entry != session.entry else { return }
        throw .staleEntry(entry, present: session.entry)
    }

    /// A request's own call. It is refused inside a step, where the machines are not in any state to be shown, and
    /// while the store is out.
    func call(
        _ context: borrowing RequestContext, on session: Session, order: Change.Order? = nil,
        _ work: () throws(Reason) -> Void
    ) throws(RequestError) -> Result {
        try checkCall(on: session.name)
        return run(id: context.id, on: session, order: order, work)
    }

    /// Throws if no session can be changed now, or not this one.
    func checkCall(on name: SessionName) throws(RequestError) {
        guard !isRunning else { throw .limit(which: "nestedCalls", limit: 0) }
        try check(storing: name)
    }

    /// Remembers an answer by the request's id, if it has one.
    func remember(_ answer: CachedAnswer, _ context: borrowing RequestContext, of session: Session)
    {
        guard let id = context.id else { return }
        let forgotten = receipts.remember(
            answer, as: id, of: session.name, mark: session.written.mark.position)
        // Those that made room come back if this is taken back.
        if !forgotten.isEmpty { recording.uncommitted.changeLast { $0.forgotten += forgotten } }
    }
}
