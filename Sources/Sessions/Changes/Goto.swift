public import GameFlow

extension ChangeKind {
    /// An operator has put the session into a state. The details have the operator's reason.
    static let goto = ChangeKind(
        .goto, [.isStep, .takesDetails, .changesState], .namedTransition,
        details: Change.StatedReason.self
    ) { (recorded, _) throws(UnreadableRowError) in
        guard let reason = recorded.details?.value as? Change.StatedReason,
            let to = recorded.step.to
        else { throw UnreadableRowError(why: "to: missing") }
        return { (sessions, name, context) throws(RequestError) in
            var context = context
            context.reason = reason.reason
            let session = try sessions.session(name)
            let data = session.flow.dataOfCommand(recorded: to)
            try sessions.goto(to.state, data, session, context)
        }
    }
}

extension Sessions {
    /// Puts a session into a state by an operator's command, without calling the flow's selector, the function that decides
    /// about events. Returns the change.
    @discardableResult public func goto(
        _ state: String, _ data: [Member] = [], _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        defer { finishRequest() }
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        try endCollecting(of: session, ifEntryIs: context.entry)
        let result = try call(
            context, on: session, details: Change.Details(Change.StatedReason(context.reason))
        ) {
            () throws(Reason) in
            try session.machine.goto(state, data, from: context.source)
        }
        if let refusal = result.refusal { throw explain(refusal, state: state, session.flow) }
        let change = result.change ?? session.lastChange
        return answer(change, to: context, of: session)
    }
}
