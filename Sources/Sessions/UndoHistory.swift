internal import GameFlow
internal import Support

/// A step that can be undone: a request or the firing of a timer, together with all changes that followed.
struct UndoStep {
    /// The numbers (`seq`) of the step's changes.
    let changes: ClosedRange<Int>
    /// The session's machine before the step.
    let before: UndoPoint
    /// The message that the session's screens showed before the step.
    let message: ScreenMessage?
    /// The approximate number of bytes of the data, the deferred events and the message that the step retains.
    let weight: Int

    init(changes: ClosedRange<Int>, before: consuming UndoPoint, message: ScreenMessage?) {
        weight = before.weight + (message?.text.utf8.count ?? 0)
        (self.changes, self.before, self.message) = (changes, before, message)
    }
}

extension UndoPoint {
    fileprivate var weight: Int {
        let data = place.data.isEmpty ? 0 : place.data.weight
        return waiting.isEmpty ? data : waiting.reduce(data) { $0 + $1.event.weight }
    }
}

/// The number and the size of the steps that can be undone in all sessions together.
final class UndoStepCount {
    @exclusivity(unchecked) fileprivate(set) var value = 0
    /// The sum of the steps' weights.
    @exclusivity(unchecked) fileprivate(set) var bytes = 0
}

/// The steps of a session that can be undone, and the changes that were undone. `Sessions` explains `@exclusivity(unchecked)`.
final class UndoStack {
    /// Includes the steps of this stack.
    private let totalCount: UndoStepCount
    /// The steps that can be undone, oldest first.
    @exclusivity(unchecked) private(set) var steps = Deque<UndoStep>()
    /// The numbers (`seq`) of the changes that were undone, one range for each undo, oldest first.
    @exclusivity(unchecked) private(set) var undone: [ClosedRange<Int>] = []

    init(_ totalCount: UndoStepCount) { self.totalCount = totalCount }

    /// Adds a step. Removes the oldest step if there are more than `limit` steps, and the same for `undone`.
    func add(_ step: consuming UndoStep, limit: Int) {
        totalCount.bytes += step.weight
        steps.append(step)
        totalCount.value += 1
        if steps.count > limit { removeFirst() }
        if undone.count > limit { undone.removeFirst() }
    }

    private func removeFirst() {
        if let step = steps.removeFirst() { subtract(step) }
    }

    private func subtract(_ step: UndoStep) {
        totalCount.value -= 1
        totalCount.bytes -= step.weight
    }

    /// Removes the step with the index `first` and all newer steps, because their changes were undone. `changes` are the
    /// numbers of these changes.
    func undo(from first: Int, _ changes: ClosedRange<Int>) {
        while steps.count > first, let step = steps.removeLast() { subtract(step) }
        undone.append(changes)
    }

    /// Removes the step that begins with the change `seq`, and all older steps.
    func removeSteps(upTo seq: Int) {
        while let first = steps.first, first.changes.lowerBound <= seq { removeFirst() }
    }

    func removeAll() {
        while steps.count > 0 { removeFirst() }
    }

    /// Whether the stack has the step that begins with the change `seq`.
    fileprivate func hasStep(beginningWith seq: Int) -> Bool {
        // The steps are in the order of their changes.
        let index = BinarySearch.prefixCount(steps.count) { steps[$0].changes.lowerBound < seq }
        return index < steps.count && steps[index].changes.lowerBound == seq
    }
}

/// The order in which steps were added to the stacks of all sessions. If there are too many steps, the oldest are removed.
struct UndoHistory {
    /// The number of steps in all stacks.
    let stepCount = UndoStepCount()
    /// The steps of all sessions, oldest first. Each entry has the stack of the step's session, and the `seq` of the step's
    /// first change. A step may be undone, or may be removed because its session has too many steps. Its entry then stays here
    /// for a while.
    private var order = Deque<(stack: UndoStack, firstSeq: Int)>()

    /// Adds a step to the stack of its session. If the stack then has more than `limit` steps, removes the oldest step of the
    /// stack. If all stacks together have more than `limitOfAll` steps, or more than `byteLimit` bytes, removes the oldest steps of
    /// all stacks.
    mutating func add(
        _ step: consuming UndoStep, to stack: UndoStack, limit: Int, limitOfAll: Int, byteLimit: Int
    ) {
        order.append((stack, step.changes.lowerBound))
        stack.add(step, limit: limit)
        while stepCount.value > limitOfAll || stepCount.bytes > byteLimit,
            let oldest = order.removeFirst()
        {
            oldest.stack.removeSteps(upTo: oldest.firstSeq)
        }
        // At most half of the entries are left, so this takes constant time on average.
        if order.count > 2 * max(limitOfAll, 1) { removeEntriesWithoutStep() }
    }

    private mutating func removeEntriesWithoutStep() {
        for _ in 0..<order.count {
            guard let entry = order.removeFirst() else { return }
            if entry.stack.hasStep(beginningWith: entry.firstSeq) { order.append(entry) }
        }
    }
}
