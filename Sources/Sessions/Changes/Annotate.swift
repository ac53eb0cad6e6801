internal import GameFlow

/// Changes of what people attach to a session: labels, and messages to its screens.
extension Sessions {
    /// If `hasChanged` is true, makes a change that replaces the session's notes by the notes that `make` returns. Otherwise
    /// records only the answer. `kind` and `details` describe the command.
    func annotate(
        _ session: Session, _ kind: Step.Kind, _ details: some ChangeDetails,
        _ context: RequestContext,
        hasChanged: Bool, _ make: () -> SessionNotes
    ) throws(RequestError) -> Answer<Change> {
        try checkCall(on: session.name)
        let place = session.machine.place
        let details = Change.Details(details)
        let step = Step(kind, from: context.source, place, place)
        let change: Change
        if hasChanged {
            let before = isRecorded ? PriorState(session) : nil
            let notes = make()
            _ = run(id: context.id, on: session, details: details, before: before) {
                session.setNotes(notes)
                session.completed(step)
            }
            change = session.lastChange
        } else {
            change = session.unnumberedChange(step, details: details)
            var rows = CallRows(id: context.id)
            recordAnswer(change, of: session, after: session.last, &rows)
        }
        remember(CachedAnswer(change: change, content: .change), context, of: session)
        return Answer(change, row: row(of: session))
    }
}
