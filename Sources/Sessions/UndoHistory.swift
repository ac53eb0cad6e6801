internal import GameFlow
internal import Support

/// A step that can be undone: the session before it, and the numbers of its changes.
struct UndoStep {
    let changes: ClosedRange<Int>
    let before: UndoPoint
}

/// The steps of a session that can be undone, oldest first, and the changes that were undone.
final class UndoStack {
    var steps: [UndoStep] = []
    var undone: [ClosedRange<Int>] = []
}

/// Counts the steps of all sessions that can be undone, so that the oldest of them can be forgotten.
struct UndoHistory {
    /// The stacks in the order of their steps.
    private var order = Deque<UndoStackReference>()

    private struct UndoStackReference {
        weak var stack: UndoStack?
        let first: Int
    }

    /// Adds a step; forgets the oldest ones of this session and of all above the limits.
    mutating func add(_ step: UndoStep, to stack: UndoStack, _ limits: Limits) {
        stack.steps.append(step)
        if stack.steps.count > limits.undoStepsPerSession { stack.steps.removeFirst() }
        if stack.undone.count > limits.undoStepsPerSession { stack.undone.removeFirst() }
        order.append(UndoStackReference(stack: stack, first: step.changes.lowerBound))
        while order.count > limits.undoSteps, let oldest = order.removeFirst() {
            guard let stack = oldest.stack,
                let place = stack.steps.firstIndex(where: {
                    $0.changes.lowerBound == oldest.first
                })
            else { continue }
            stack.steps.removeSubrange(...place)
        }
    }
}
