internal import GameFlow

/// A command that makes a change which is not a step of the machine, from its checks to its answer.
struct SessionCommand {
    private let session: Session
    private let context: RequestContext
    /// The session before the command.
    private let before: SessionState

    /// Begins a command, before it changes the session. Throws if the request is meant for another entry, or if no change can be
    /// made at present.
    init(_ session: Session, _ context: RequestContext) throws(RequestError) {
        try session.sessions.endCollecting(of: session, ifEntryIs: context.entry)
        try session.sessions.checkCall(on: session.name, for: context)
        (self.session, self.context) = (session, context)
        before = SessionState(session)
    }

    /// Makes the change of a command that has changed the session. If it has changed nothing, records only the answer: a repeated
    /// request with its id must change nothing, even if the command would then have an effect.
    func change(_ kind: Step.Kind, _ details: some ChangeDetails, hasChanged: Bool) -> Change {
        let sessions = session.sessions
        let details = Change.Details(details)
        let step = Step(kind, from: context.source, before.machine.place, session.machine.place)
        guard hasChanged else {
            let change = session.unnumberedChange(step, details: details)
            var rows = CallRows(id: context.id)
            sessions.recordAnswer(change, of: session, after: session.last, &rows)
            return change
        }
        let result = sessions.run(id: context.id, on: session, details: details, before: before) {
            session.completed(step)
        }
        return result.change ?? session.lastChange
    }

    /// Does the same, and answers the request with the change.
    func answer(_ kind: Step.Kind, _ details: some ChangeDetails, hasChanged: Bool)
        -> Answer<Change>
    {
        let sessions = session.sessions
        defer { sessions.finishRequest() }
        let change = change(kind, details, hasChanged: hasChanged)
        return sessions.answer(change, to: context, of: session)
    }
}
