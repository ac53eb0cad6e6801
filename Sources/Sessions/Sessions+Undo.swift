internal import GameFlow
internal import Support
internal import Timers

/// Undoing steps.
extension Sessions {
    /// Takes a session back to its situation before its newest step, or after the change with the number `seq`. Restores the
    /// state, the data, the deferred events and the remaining times of the timers, in a new entry. Requests no effects. Throws
    /// `invalid` with the reason if the undo is not possible. Returns the change that the undo makes.
    ///
    /// Here, a step is a request or the firing of a timer, together with all changes that followed. Setting labels, showing a
    /// message and undoing are not steps. A second undo therefore undoes the step before the steps that the first undo has
    /// undone. A step before an opening, a move or a restart cannot be undone.
    @discardableResult public func undo(
        after seq: Int? = nil, _ session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        defer { makeStepsOfLinkedSessions() }
        if let cached = try cachedAnswer(to: context, of: session.name) {
            return Answer(cached.value.change, row: cached.row)
        }
        try checkEntry(context.entry, of: session)
        try checkCall(on: session.name)
        let (stack, index) = try stepToUndo(after: seq, session)
        let step = stack.steps[index]
        let priorState = isRecorded ? PriorState(session) : nil
        let priorPlace = session.machine.place
        do throws(Reason) {
            try session.undo(to: step.before)
        } catch { throw explain(error, state: step.before.place.state, session.flow) }
        let changes = step.changes.lowerBound...session.seq
        let undo = Step(.undo, from: context.source, priorPlace, session.machine.place)
        let details = Change.Details.undo(from: changes.lowerBound, to: changes.upperBound)
        _ = run(id: context.id, on: session, details: details, before: priorState) {
            session.completed(undo, undoing: step)
        }
        stack.undo(from: index, changes)
        let change = session.lastChange
        remember(CachedAnswer(change: change, content: .change), context, of: session)
        return Answer(change, row: row(of: session))
    }

    /// Returns the session's undo stack, and the index of the oldest step to undo. If `seq` is nil, this is the newest step.
    /// Otherwise it is the first step after the change `seq`.
    private func stepToUndo(after seq: Int?, _ session: Session) throws(RequestError)
        -> (stack: UndoStack, index: Int)
    {
        guard let stack = session.undoStack, !stack.steps.isEmpty else {
            throw cannotUndo(
                session, "nothing to undo: a move or a restart ends what undo can take back")
        }
        let steps = stack.steps
        guard let seq else { return (stack, steps.count - 1) }
        if stack.undone.contains(where: { $0.contains(seq) }) {
            throw cannotUndo(session, "change \(seq) was undone itself")
        }
        guard let index = (0..<steps.count).first(where: { steps[$0].changes.upperBound > seq })
        else {
            throw cannotUndo(session, "no step after change \(seq) can be undone")
        }
        if steps[index].changes.contains(seq) {
            throw cannotUndo(session, "change \(seq) is in the middle of a step")
        }
        let earliestSeq = steps[0].changes.lowerBound - 1
        // The limits may have removed steps that are older than the first step in the stack.
        guard index > 0 || seq == earliestSeq else {
            throw cannotUndo(session, "only steps after change \(earliestSeq) are kept")
        }
        return (stack, index)
    }

    private func cannotUndo(_ session: Session, _ why: String) -> RequestError {
        .invalid(.session(session.name.text), argument: "seq", why: why)
    }

    // MARK: keeping steps

    /// Called after each call. `before` is the situation of the machine before the call, and `message` the message of before.
    /// Keeps both if the call changed the session by a step that can be undone. `seq` is the number of the session's newest
    /// change before the call; 0 if there was no change.
    func keepForUndo(
        _ before: consuming UndoPoint, _ message: ScreenMessage?, after seq: Int,
        _ session: Session
    ) {
        let last = session.seq
        guard seq > 0, last > seq, let kind = session.last?.kind else { return }
        switch kind {
        case .label, .say, .undo: return
        case .open, .move, .close: session.removeUndoSteps()
        case .enter, .keep, .defer, .drop, .goto, .timer:
            undoHistory.add(
                UndoStep(changes: (seq + 1)...last, before: before, message: message),
                to: session.undoStack(countedBy: undoHistory.stepCount),
                limit: limits.undoStepsPerSession,
                limitOfAll: limits.undoSteps, byteLimit: limits.undoBytes)
        }
    }
}
