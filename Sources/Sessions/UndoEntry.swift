internal import GameFlow
internal import Support

/// What is kept of a change so that the step it belongs to can be undone. Here, a step is a request or the firing of a timer,
/// together with all changes that followed.
///
/// `Sessions.undoEntries` has the entries of the newest changes, with the numbers (`pos`) of the changes. The changes themselves
/// are in `Sessions.ring`.
enum UndoEntry: RingElement {
    /// The change is the first one of a step. `before` is the session before the step.
    case step(before: SessionState)
    /// The change follows from an earlier change of its step.
    case consequence
    /// The change belongs to no step, such as a label or an undo.
    case none

    /// The approximate number of bytes that the entry retains.
    var weight: Int { if case .step(let before) = self { before.weight } else { 0 } }
}

/// A step that can be undone.
struct UndoStep {
    /// The first change of the step.
    let first: Change
    /// The number (`seq`) of the last change of the step.
    let lastSeq: Int
    /// The session before the step.
    let before: SessionState
}

extension Sessions {
    /// The entry of a change. `before` is the session before the call, for the first change that the call makes of the called
    /// session; nil for any other change.
    func undoEntry(of change: Change, after before: SessionState?) -> UndoEntry {
        // Nobody requested that a deadline was computed again because the wall clock was set: this is no step.
        guard change.kind.has(.isStep),
            !(change.kind == .timer && change.step.source.kind == .timer)
        else { return .none }
        return if let before { .step(before: before) } else { .consequence }
    }
}
