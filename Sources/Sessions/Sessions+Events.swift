public import GameFlow
internal import Support

/// Events that are sent to a session, and orders of an operator.
extension Sessions {
    /// Sends an event to a session. Returns the first change that it led to, or the beat that stands for it.
    ///
    /// Not to be called from inside a step (a hook, a transition): that is refused. Such code posts to its machine.
    @discardableResult public func send(
        _ event: String, _ arguments: [Member] = [], to session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let given = given(context, to: session.name), case .change(let change) = given.value {
            return Answer(change, row: given.row)
        }
        do throws(RequestError) {
            let change = try take(event, arguments, session, context)
            remember(.change(change), context, of: session.name, session.written)
            return Answer(change, row: row(of: session))
        } catch {
            // What was taken and could not be kept was not refused by the flow.
            if case .storage = error { throw error }
            keepRefused(Happening(event, arguments), context.source, error, of: session)
            publish()
            throw error
        }
    }

    private func take(
        _ event: String, _ arguments: [Member], _ session: Session, _ context: RequestContext
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
        if let given = given(context, to: session.name), case .change(let change) = given.value {
            return Answer(change, row: given.row)
        }
        try check(context.entry, session)
        let result = try call(context, on: session, order: .override(reason: context.reason)) {
            () throws(Reason) in
            try session.machine.goto(state, data, from: context.source)
        }
        if let refusal = result.refusal { throw explain(refusal, state: state, session.flow) }
        let change = result.change ?? session.lastChange
        remember(.change(change), context, of: session.name, session.written)
        return Answer(change, row: row(of: session))
    }

    // MARK: ids

    /// The first answer to a request with a known id: the session as it was then. It shows nothing of what has
    /// happened since. Nil if the id is not known, or the request has none.
    public func answer(to context: RequestContext, of name: SessionName) -> Answer<SessionStatus>? {
        guard let given = given(context, to: name), case .status(let status) = given.value else {
            return nil
        }
        return Answer(status, row: given.row)
    }

    func given(_ context: RequestContext, to name: SessionName) -> Answer<GivenAnswer>? {
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
        _ context: RequestContext, on session: Session, order: Change.Order? = nil,
        _ work: () throws(Reason) -> Void
    ) throws(RequestError) -> Result {
        try checkCall(on: session.name)
        return run(context, on: session, order: order, work)
    }

    /// Throws if no session can be changed now, or not this one.
    func checkCall(on name: SessionName) throws(RequestError) {
        guard !isRunning else { throw .limit(which: "nestedCalls", limit: 0) }
        try check(storing: name)
    }

    /// Remembers an answer by the request's id, if it has one.
    func remember(
        _ answer: GivenAnswer, _ context: RequestContext, of name: SessionName,
        _ written: Standing
    ) {
        guard let id = context.id else { return }
        let forgotten = receipts.remember(answer, as: id, of: name, mark: written.mark.position)
        // Those that made room come back if this is taken back.
        if !forgotten.isEmpty { recording.uncommitted.changeLast { $0.forgotten += forgotten } }
    }
}
