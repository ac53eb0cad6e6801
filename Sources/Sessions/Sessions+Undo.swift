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
        let step = try stepToUndo(after: seq, session)
        let priorState = isRecorded ? PriorState(session) : nil
        let priorPlace = session.machine.place
        do throws(Reason) {
            try session.undo(step)
        } catch { throw explain(error, state: step.place.state, session.flow) }
        let changes = step.first.seq...session.seq
        let undo = Step(.undo, from: context.source, priorPlace, session.machine.place)
        let details = Change.Details.undo(from: changes.lowerBound, to: changes.upperBound)
        _ = run(id: context.id, on: session, details: details, before: priorState) {
            session.completed(undo, undoing: step)
        }
        let change = session.lastChange
        remember(CachedAnswer(change: change, content: .change), context, of: session)
        return Answer(change, row: row(of: session))
    }

    /// Returns the oldest step to undo. If `seq` is nil, this is the newest step that can be undone. Otherwise it is the first
    /// step after the change `seq`.
    private func stepToUndo(after seq: Int?, _ session: Session) throws(RequestError) -> UndoStep {
        let (steps, undone) = undoSteps(of: session, after: seq)
        guard let newest = steps.first, let oldest = steps.last else {
            throw cannotUndo(
                session, after: seq,
                "nothing to undo: a move or a restart ends what undo can take back")
        }
        guard let seq else { return newest }
        if undone.contains(where: { $0.contains(seq) }) {
            throw cannotUndo(session, after: seq, "change \(seq) was undone itself")
        }
        guard let step = steps.last(where: { $0.lastSeq > seq }) else {
            throw cannotUndo(session, after: seq, "no step after change \(seq) can be undone")
        }
        if step.first.seq <= seq {
            throw cannotUndo(session, after: seq, "change \(seq) is in the middle of a step")
        }
        // Older steps may no longer be kept.
        guard step.first !== oldest.first || seq == oldest.first.seq - 1 else {
            throw cannotUndo(
                session, after: seq, "only steps after change \(oldest.first.seq - 1) are kept")
        }
        return step
    }

    /// Returns the newest steps of a session that can be undone, newest first, and the numbers (`seq`) of the changes that were
    /// undone among them, one range for each undo. If `seq` is nil, looks only for the newest step. Steps that were undone count
    /// for the limit `undoStepsPerSession`, too.
    private func undoSteps(of session: Session, after seq: Int?)
        -> (steps: [UndoStep], undone: [ClosedRange<Int>])
    {
        var steps: [UndoStep] = []
        var undone: [ClosedRange<Int>] = []
        // The number of the last change of the step whose first change is not found yet; 0 between steps.
        var lastSeq = 0
        var next = session.last
        var examinedCount = 0
        while let change = next, examinedCount < limits.undoStepsPerSession,
            seq != nil || steps.isEmpty, change.pos > session.undoFloor,
            let entry = undoEntries[change.pos]
        {
            next = ring[change.previous]
            if case .step = entry { examinedCount += 1 }
            // Changes that were undone are skipped.
            if let range = undone.last, range.contains(change.seq) { continue }
            switch entry {
            case .step(let start):
                guard let place = change.step.from else { return (steps, undone) }
                steps.append(
                    UndoStep(
                        first: change, lastSeq: max(lastSeq, change.seq), start: start, place: place
                    ))
                lastSeq = 0
            case .consequence: lastSeq = max(lastSeq, change.seq)
            case .none:
                switch change.details {
                case .undo(let from, let to): undone.append(from...to)
                case .move: return (steps, undone)
                default: break
                }
            }
        }
        return (steps, undone)
    }

    private func cannotUndo(_ session: Session, after seq: Int?, _ why: String) -> RequestError {
        .invalid(.undo(session: session.name.text, seq: seq), argument: "", why: why)
    }

    // MARK: keeping steps

    /// The entry of a change. `start` is the session before the call, for the first change that the call makes of the called
    /// session; nil for any other change.
    func undoEntry(of change: Change, _ start: UndoStart?) -> UndoEntry {
        switch change.kind {
        case .enter, .keep, .defer, .drop, .goto, .timer:
            start.map { .step($0) } ?? .consequence
        case .label, .say, .undo, .open, .move, .close: .none
        }
    }
}
