internal import GameFlow
internal import Support

/// What is kept of a change so that the step it belongs to can be undone. Here, a step is a request or the firing of a timer,
/// together with all changes that followed.
///
/// `Sessions.undoEntries` has the entries of the newest changes, with the numbers (`pos`) of the changes. The changes themselves
/// are in `Sessions.ring`.
enum UndoEntry: RingElement {
    /// The change is the first one of a step.
    case step(UndoStart)
    /// The change follows from an earlier change of its step.
    case consequence
    /// The change belongs to no step, such as a label or an undo.
    case none

    /// The approximate number of bytes of the deferred events and the message that the entry retains.
    var weight: Int {
        guard case .step(let start) = self else { return 0 }
        let message = start.notes?.message?.text.utf8.count ?? 0
        let waiting = start.before.waiting
        return waiting.isEmpty ? message : waiting.reduce(message) { $0 + $1.event.weight }
    }
}

/// A session as it was before a step, besides what the first change of the step has: the state before it and its instant.
struct UndoStart {
    let before: UndoPoint
    /// The notes, among them the message that the screens showed.
    let notes: SessionNotes?
}

/// A step that can be undone.
struct UndoStep {
    /// The first change of the step.
    let first: Change
    /// The number (`seq`) of the last change of the step.
    let lastSeq: Int
    let start: UndoStart
    /// The state before the step.
    let place: StateRecord
}

extension Sessions {
    /// The entry of a change. `start` is the session before the call, for the first change that the call makes of the called
    /// session; nil for any other change.
    // Inlined: as a call, each change copied `start` twice, which took 270 instructions.
    @inline(__always)
    func undoEntry(of change: Change, _ start: consuming UndoStart?) -> UndoEntry {
        guard change.kind.has(.isStep) else { return .none }
        return if let start { .step(start) } else { .consequence }
    }
}
