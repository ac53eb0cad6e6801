internal import GameFlow
internal import Support

/// A step that can be undone: a request or the firing of a timer, with all changes that followed from it.
struct UndoStep {
    /// The numbers (`seq`) of the step's changes.
    let changes: ClosedRange<Int>
    /// The session's machine before the step.
    let before: UndoPoint
}

/// The steps of a session that can be undone, and the changes that were undone. `Sessions` explains `@exclusivity(unchecked)`.
final class UndoStack {
    /// The steps that can be undone, oldest first.
    @exclusivity(unchecked) private(set) var steps = Deque<UndoStep>()
    /// The numbers (`seq`) of the changes that were undone, one range for each undo, oldest first.
    @exclusivity(unchecked) private(set) var undone: [ClosedRange<Int>] = []

    /// Adds a step. Removes the oldest step if there are more than `limit` steps, and the same for `undone`.
    func add(_ step: consuming UndoStep, limit: Int) {
        steps.append(step)
        if steps.count > limit { _ = steps.removeFirst() }
        if undone.count > limit { undone.removeFirst() }
    }

    /// Removes the step with the index `first` and all newer steps, because their changes were undone. `changes` are the
    /// numbers of these changes.
    func undo(from first: Int, _ changes: ClosedRange<Int>) {
        while steps.count > first { _ = steps.removeLast() }
        undone.append(changes)
    }

    /// Removes the step that begins with the change `seq`, and all older steps.
    func removeSteps(upTo seq: Int) {
        while let first = steps.first, first.changes.lowerBound <= seq { _ = steps.removeFirst() }
    }

    func removeAll() { steps.removeAll() }
}

/// The order of all sessions' steps that can be undone. If there are too many steps, the oldest are removed.
struct UndoHistory {
    /// For each step of all sessions, oldest first: the stack of its session, and the `seq` of its first change. A stack that
    /// its session does not use any more is empty.
    private var order = Deque<(stack: UndoStack, firstSeq: Int)>()

    /// Adds a step to the stack of its session. Removes the oldest steps if there are more than `limit` steps in this stack, or
    /// more than `limitOfAll` steps of all sessions.
    mutating func add(
        _ step: consuming UndoStep, to stack: UndoStack, limit: Int, limitOfAll: Int
    ) {
        order.append((stack, step.changes.lowerBound))
        stack.add(step, limit: limit)
        while order.count > limitOfAll, let oldest = order.removeFirst() {
            oldest.stack.removeSteps(upTo: oldest.firstSeq)
        }
    }
}
