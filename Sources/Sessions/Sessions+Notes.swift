public import GameFlow
internal import Support
internal import Timers

/// Labels of a session, and messages to its screens.
extension Sessions {
    /// Sets labels of a session; an empty value removes a label. Setting labels to their present values makes no
    /// change. Returns the change.
    @discardableResult public func label(
        _ labels: [Member], _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) {
            return Answer(cached.value.change, row: cached.row)
        }
        let new = try SessionNotes.labels(session.labels, changedBy: labels, of: session.name)
        try checkEntry(context.entry, of: session)
        let hasChanged = new != session.labels
        return try annotate(session, .label, .labels(labels), context, hasChanged: hasChanged) {
            SessionNotes(labels: new, message: session.message, opening: session.opening)
        }
    }

    /// Shows a message on the session's screens until `length` is over, or until the next message. An empty text
    /// removes the message. Returns the change.
    @discardableResult public func say(
        _ text: String, for length: Duration? = nil, _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        if let cached = try cachedAnswer(to: context, of: session.name) {
            return Answer(cached.value.change, row: cached.row)
        }
        guard text.isEmpty || NoteLimits.messageLength ~= text.unicodeScalars.count else {
            throw .invalid(
                .session(session.name.text), argument: "text", why: NoteLimits.messageRule)
        }
        try checkEntry(context.entry, of: session)
        let until = length.map { now + $0 }
        let hasChanged = !text.isEmpty || session.message != nil
        return try annotate(session, .say, .say(text, for: length), context, hasChanged: hasChanged)
        {
            let message = ScreenMessage(text: text, seq: session.seq + 1, until: until)
            return SessionNotes(
                labels: session.labels, message: text.isEmpty ? nil : message,
                opening: session.notes?.opening)
        }
    }

    /// If `hasChanged` is true, makes a change that replaces the session's notes by the notes that `make` returns. Otherwise
    /// records only the answer. `kind` and `details` describe the command.
    private func annotate(
        _ session: Session, _ kind: Step.Kind, _ details: Change.Details, _ context: RequestContext,
        hasChanged: Bool, _ make: () -> SessionNotes
    ) throws(RequestError) -> Answer<Change> {
        try checkCall(on: session.name)
        let place = session.machine.place
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
