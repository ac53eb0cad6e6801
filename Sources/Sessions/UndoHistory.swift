internal import GameFlow
internal import Support

/// A step that can be undone: the session before it, and the numbers of its changes.
struct UndoStep {
    let changes: ClosedRange<Int>
    let before: UndoPoint
}

/// The steps of a session that can be undone, oldest first, and the changes that were undone.
final class UndoStack {
    @exclusivity(unchecked) private(set) var steps = Deque<UndoStep>()
    @exclusivity(unchecked) private(set) var undone: [ClosedRange<Int>] = []

    /// Adds a step. Removes the oldest one if there are more than `limit`.
    func add(_ step: consuming UndoStep, limit: Int) {
        steps.append(step)
        if steps.count > limit { _ = steps.removeFirst() }
        if undone.count > limit { undone.removeFirst() }
    }

    /// Removes the steps from the index `first`, whose changes were undone.
    func undo(from first: Int, _ changes: ClosedRange<Int>) {
        while steps.count > first { _ = steps.removeLast() }
        undone.append(changes)
    }

    /// Removes the steps up to the one that begins with the change `seq`.
    func removeSteps(upTo seq: Int) {
        while let first = steps.first, first.changes.lowerBound <= seq { _ = steps.removeFirst() }
    }

    func removeAll() { steps.removeAll() }
}

/// The order of all sessions' steps that can be undone. If there are too many steps, the oldest are removed.
struct UndoHistory {
    /// For each step of all sessions, oldest first: the stack of its session, and the number of its first change. A stack
    /// that its session does not use any more is empty.
    private var order = Deque<(stack: UndoStack, first: Int)>()

    /// Adds a step. Removes the oldest steps if there are more than `limit` of this session, or `limitOfAll` of all.
    mutating func add(
        _ step: consuming UndoStep, to stack: UndoStack, limit: Int, limitOfAll: Int
    ) {
        order.append((stack, step.changes.lowerBound))
        stack.add(step, limit: limit)
        while order.count > limitOfAll, let oldest = order.removeFirst() {
            oldest.stack.removeSteps(upTo: oldest.first)
        }
    }
}
