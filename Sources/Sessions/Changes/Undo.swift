package import GameFlow
internal import Support
internal import Timers

extension Step.Kind {
    package static var undo: Step.Kind { Step.Kind(number: 12, isEntry: true) }
}

extension ChangeKind {
    /// Earlier changes were taken back: the session continues as it was before them.
    static let undo = ChangeKind(
        .undo, name: "undo", [.takesDetails, .changesState, .needsRecording], .namedTransition,
        details: Change.Undone.self
    ) { (details, _, session, context) throws(RequestError) in
        try session.sessions.undo(
            after: details.from - 1, clocks: details.clocks, session, context)
    }
}

extension Change {
    /// The first and the last change that were undone, by their numbers in the session, and what became of the timers.
    package struct Undone: ChangeDetails {
        package let from: Int
        package let to: Int
        package let clocks: UndoClocks

        package init(from: Int, to: Int, _ clocks: UndoClocks = .still) {
            (self.from, self.to, self.clocks) = (from, to, clocks)
        }

        package static let codes: ClosedRange<UInt8> = 9...10

        package init(code: UInt8, from reader: inout some DetailsReader) throws(UnreadableRowError)
        {
            (from, to) = (try reader.count("undone"), try reader.count("undone"))
            clocks = code == 9 ? .still : .run
        }

        package func write(to writer: inout some DetailsWriter & ~Copyable) {
            writer.byte(clocks == .still ? 9 : 10)
            writer.count(from)
            writer.count(to)
        }

        package init?(in change: [Member]) {
            guard case .object(let undone)? = change["undone"],
                case .int(let from)? = undone["from"],
                case .int(let to)? = undone["to"]
            else { return nil }
            (self.from, self.to) = (from, to)
            clocks = undone["clocks"]?.text.flatMap { UndoClocks(rawValue: $0) } ?? .still
        }

        package var members: [Member] {
            [
                Member(
                    "undone",
                    .object([
                        Member("from", from), Member("to", to), Member("clocks", clocks.rawValue),
                    ]))
            ]
        }

        package func text(_ format: some DetailsFormat) -> String? {
            (from == to ? "undid #\(from)" : "undid #\(from) to #\(to)")
                + (clocks == .run ? ", clocks ran on" : "")
        }

        /// Nil for numbers that only a damaged journal can have.
        package var undone: ClosedRange<Int>? { from <= to ? from...to : nil }
    }
}

/// Undoing steps.
extension Sessions {
    /// Takes a session back to its situation before its newest step, or after the change with the number `seq`. Restores the
    /// state, the data, the deferred events and the remaining times of the timers, in a new entry; `clocks` says whether these have
    /// run since then. Requests no effects. Throws `invalid` with the reason if the undo is not possible. Returns the change that
    /// the undo makes.
    ///
    /// Here, a step is a request or the firing of a timer, together with all changes that followed. Setting labels, showing a
    /// message and undoing are not steps. A second undo therefore undoes the step before the steps that the first undo has
    /// undone. A step before an opening, a move or a restart cannot be undone.
    @discardableResult package func undo(
        after seq: Int? = nil, clocks: UndoClocks = .still, _ session: Session,
        _ context: RequestContext
    ) throws(RequestError) -> Answer<Change> {
        defer { finishRequest() }
        if let cached = try cachedAnswer(to: context, of: session.name) { return cached }
        try endCollecting(of: session, ifEntryIs: context.entry)
        try checkCall(on: session.name, for: context)
        let step = try stepToUndo(after: seq, session)
        let before = SessionState(session)
        do throws(Reason) {
            try session.undo(step, clocks)
        } catch { throw explain(error, state: step.before.machine.place.state, session.flow) }
        let undone = Change.Undone(from: step.first.seq, to: session.seq, clocks)
        let undo = Step(
            .undo, from: context.source, before.machine.place, session.machine.place)
        let details = Change.Details(undone)
        let result = run(id: context.id, on: session, details: details, before: before) {
            session.completed(undo, undoing: step)
        }
        return answer(result.change ?? session.lastChange, to: context, of: session)
    }

    /// Returns the oldest step to undo. If `seq` is nil, this is the newest step that can be undone. Otherwise it is the first
    /// step after the change `seq`.
    private func stepToUndo(after seq: Int?, _ session: Session) throws(RequestError) -> UndoStep {
        let (steps, undone) = undoSteps(of: session, after: seq)
        guard let newest = steps.first, let oldest = steps.last else {
            throw cannotUndo(
                session, after: seq,
                "nothing to undo: no step since the opening, a move or a restart is left")
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
            change.pos >= statesBeforeSteps.first
        {
            next = ring[change.previous]
            let before = statesBeforeSteps[change.pos]
            if before != nil { examinedCount += 1 }
            // Changes that were undone are skipped.
            if let range = undone.last, range.contains(change.seq) { continue }
            if let before {
                // A change that has left the ring lacks the state before it, and so does an opening.
                guard change.step.from != nil else { return (steps, undone) }
                steps.append(
                    UndoStep(first: change, lastSeq: max(lastSeq, change.seq), before: before))
                lastSeq = 0
            } else if change.isOfStep {
                lastSeq = max(lastSeq, change.seq)
            } else {
                if let range = change.undone { undone.append(range) }
                if change.kind.has(.setsFlow) { return (steps, undone) }
            }
        }
        return (steps, undone)
    }

    private func cannotUndo(_ session: Session, after seq: Int?, _ why: String) -> RequestError {
        .invalid(.undo(session: session.name.text, seq: seq), argument: "", why: why)
    }
}
