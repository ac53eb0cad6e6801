package import GameFlow

/// The effect of a change on the visits of states by its session.
package enum VisitEffect: Equatable, Sendable {
    /// The session enters a state.
    case begins
    /// The changes whose `seq` is at least `from` are undone. The session continues the visit before them.
    case undoes(from: Int)
    /// The session continues with another version of its flow.
    case continues
    /// The session is closed.
    case ends

    /// Nil if changes of this kind neither begin nor end a visit.
    package init?(_ kind: Step.Kind, _ details: Change.Details?) {
        if let details, let undone = details.value.undone {
            self = .undoes(from: undone.lowerBound)
        } else if kind.isEntry {
            self = .begins
        } else if kind == .close {
            self = .ends
        } else if kind.has(.setsFlow) {
            self = .continues
        } else {
            return nil
        }
    }
}

extension SessionRecord.Status {
    /// The kind of the change.
    package var kind: Step.Kind { change.kind }

    /// The effect of the change on the visits of its session, and the name of the state after the change, or before it if the
    /// change closed the session. Nil if the change affects no visit.
    package var visit: (effect: VisitEffect, state: String)? {
        guard let effect = VisitEffect(kind, change.details),
            let state = change.step.to ?? change.step.from
        else { return nil }
        return (effect, state.state)
    }
}
