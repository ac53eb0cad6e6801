internal import GameFlow
internal import Support
internal import Timers

/// The state of a session before a step that can be undone, and the numbers of the step's changes.
struct UndoStep {
    let changes: ClosedRange<Int>
    let place: StateRecord
    let timers: [UndoTimer]
    let waiting: [MachineSnapshot.Deferred]
}

/// What a timer had left before a step.
struct UndoTimer {
    let fires: String
    /// Nil for a countdown that had fired: it has nothing left.
    let total: Duration?
    let remaining: Duration
    let isPaused: Bool
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
    private(set) var count = 0

    private struct UndoStackReference {
        weak var stack: UndoStack?
        let first: Int
    }

    /// Adds a step; forgets the oldest ones of this session and of all above the limits.
    mutating func add(_ step: UndoStep, to stack: UndoStack, _ limits: Limits) {
        stack.steps.append(step)
        count += 1
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
