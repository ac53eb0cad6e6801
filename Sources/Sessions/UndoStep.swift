internal import GameFlow

/// A step that can be undone. Here, a step is a request or the firing of a timer, together with all changes that followed.
struct UndoStep {
    /// The first change of the step.
    let first: Change
    /// The number (`seq`) of the last change of the step.
    let lastSeq: Int
    /// The session before the step.
    let before: SessionState
}

extension Change {
    /// Whether the change belongs to a step that can be undone, as a label or an undo does not.
    var isOfStep: Bool {
        // Nobody requested that a deadline was computed again because the wall clock was set.
        kind.has(.isStep) && !(kind == .timer && step.source.kind == .timer)
    }
}
