package import GameFlow

/// What records contain of a change.
extension Change {
    /// This change with another step, and without what it did to the message.
    func with(_ step: Step, details: Details? = nil) -> Change {
        Change(
            session, seq: seq, pos: pos, entry: entry, previous: previous, at: at, step,
            details: details, view: view)
    }

    /// The change without what it did to the message.
    var withoutMessage: Change { message == nil ? self : with(step, details: details) }

    /// What a later record repeats of the change: its kind, event and source, and the state after it.
    var repeated: Change {
        with(Step(step.kind, step.event, from: step.source, nil, step.to))
    }

    /// The change with what clients see of the states of its session's flow, which a record does not contain.
    package func with(_ view: ClientView?) -> Change {
        guard view != nil else { return self }
        return Change(
            session, seq: seq, pos: pos, entry: entry, previous: previous, at: at, step,
            details: details, message: message, view: view)
    }

    /// Whether the records of two changes have the same step, details and message.
    package func isRecorded(like other: Change) -> Bool {
        if self === other { return true }
        guard message == other.message, details == other.details else { return false }
        let (a, b) = (step, other.step)
        return a.kind == b.kind && a.event == b.event && a.source == b.source && a.from == b.from
            && a.to == b.to && a.effects == b.effects && a.missed == b.missed
    }
}
