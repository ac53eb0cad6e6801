internal import GameFlow
internal import Timers

/// What machines did during one call, in order.
struct StepLog {
    enum Occurrence {
        case changed(Session, Change)
        /// A beat, in the form of a change; the session's newest change at that time; and the timers of that
        /// instant if beats have a watcher.
        indirect case beat(Session, Change, after: Change?, [LiveTimer])
        /// The refusal of a posted event or of a timer's signal. The error is the one that a sender would have
        /// received; `after` is the number of the session's newest change before the refusal.
        indirect case refused(Session, EventRecord, Source, RequestError, after: Int)
        /// A timer's signal was handled or refused.
        indirect case fired(Session, signal: String)
    }

    var occurrences: [Occurrence] = []
    /// The number of changes that machines have made and that are not yet in `Sessions.ring`.
    var unapplied = 0
    /// The details to store with the changes of the running call, such as an operator's reason.
    var details: Change.Details?

    /// Returns the details to store with the change that a step makes.
    func details(of step: borrowing Step) -> Change.Details? {
        switch step.kind {
        case .goto, .timer, .label, .say, .move, .undo, .close: details
        case .drop: .override(reason: step.why?.name)
        case .open, .enter, .keep, .defer: nil
        }
    }
}

/// Running a call: the machine makes its steps, and the steps become changes, rows and notifications.
extension Sessions {
    /// The result of a call.
    struct Result {
        /// The first change, or the beat if there was no change; nil if there was neither.
        var change: Change?
        /// The reason for which the machine refused the call; nil if it did not refuse the call.
        var refusal: Reason?
    }

    /// Whether a machine is making a step, so that no call can start.
    var isRunning: Bool { queue.isRunning }

    /// Runs one call of the request with the id `id` to completion. `work` calls a machine; afterwards all
    /// resulting steps, including those of posted events, are applied, even if the machine refused the call
    /// itself. `before` is the session's state before the call; pass it if the session's timers
    /// have already changed.
    ///
    /// If the call has set a timer with a duration of zero, that timer fires before `run` returns.
    func run(
        id: String? = nil, on session: Session?, details: Change.Details? = nil,
        before: PriorState? = nil, _ work: () throws(Reason) -> Void
    ) -> Result {
        let result = runOnce(id: id, on: session, details: details, before: before, work)
        if !isRunning, timerQueue.isTimerDue { clock.fireDueTimers() }
        return result
    }

    /// `firing` is the timer whose signal the call handles; nil for any other call.
    private func runOnce(
        id: String? = nil, on session: Session?, details: Change.Details? = nil,
        before: PriorState? = nil, firing: Firing? = nil, _ work: () throws(Reason) -> Void
    ) -> Result {
        // This call runs inside another call; the outer call applies the log.
        if isRunning {
            var result = Result()
            do throws(Reason) { try work() } catch { result.refusal = error }
            return result
        }
        guard let session else { return runOutermost(id, nil, details, work) }
        let seq = session.seq
        let undoPoint: UndoPoint
        let result: Result
        if isRecorded {
            let prior = before ?? PriorState(session, firing: firing)
            undoPoint = prior.undoPoint
            result = runOutermost(id, (session, prior), details, work)
        } else {
            undoPoint = before?.undoPoint ?? UndoPoint(session.machine, firing: firing, at: now)
            result = runOutermost(id, nil, details, work)
        }
        keepForUndo(undoPoint, after: seq, session)
        return result
    }

    private func runOutermost(
        _ id: String?, _ prior: (session: Session, state: PriorState)?,
        _ details: Change.Details?,
        _ work: () throws(Reason) -> Void
    ) -> Result {
        var rows = CallRows(id: id)
        rows.prior = prior
        stepLog.details = details
        var result = Result()
        do throws(Reason) { try work() } catch { result.refusal = error }
        result.change = applyLog(&rows)
        return result
    }

    /// Applies steps that were made outside a call, by an event that was posted to a machine.
    func applyPosted() {
        guard !stepLog.occurrences.isEmpty else { return }
        defer { makeStepsOfLinkedSessions() }
        var rows = CallRows()
        _ = applyLog(&rows)
    }

    private func applyLog(_ rows: inout CallRows) -> Change? {
        // Most calls make one change. It is moved out of the log, because copying it would cost reference counting.
        if stepLog.occurrences.count == 1, stepLog.occurrences[0].isChange,
            case .changed(let session, let change)? = stepLog.occurrences.popLast()
        {
            add(change, of: session, &rows, isLast: true)
            publish()
            return change
        }
        var occurrences = exchange(&stepLog.occurrences, with: [])
        let first = apply(occurrences, &rows)
        // The next call reuses the memory of this call's log.
        if stepLog.occurrences.isEmpty {
            occurrences.removeAll(keepingCapacity: true)
            stepLog.occurrences = occurrences
        }
        return first
    }

    /// Converts occurrences to rows and notifications. Returns the first change, or the first beat that a request
    /// caused.
    private func apply(_ occurrences: [StepLog.Occurrence], _ rows: inout CallRows) -> Change? {
        var first: Change?
        defer { publish() }
        for index in occurrences.indices {
            switch occurrences[index] {
            case .changed(let session, let change):
                if first == nil { first = change }
                let isLast =
                    index + 1 == occurrences.count
                    || !occurrences[(index + 1)...].contains { $0.changes(session) }
                add(change, of: session, &rows, isLast: isLast)
            case .beat(let session, let beat, let last, let timers):
                queueNotification(.beats, of: session) { .beat(Beat(beat, timers)) }
                guard beat.step.source !== Source.timer, first == nil else { continue }
                first = beat
                recordAnswer(beat, of: session, after: last, &rows)
            case .refused(let session, let event, let source, let error, let seq):
                addRefusedEvent(event, source, error, of: session, after: seq)
            case .fired(let session, let signal):
                let hasChanged = occurrences[..<index].contains { $0.changes(session) }
                recordFiring(of: signal, in: session, hasChanged: hasChanged, &rows)
            }
        }
        return first
    }
}

/// Handling due timers.
extension Sessions {
    /// Handles a due timer of a session's present state.
    func fire(_ firing: Firing, of session: Session) {
        defer { makeStepsOfLinkedSessions() }
        let (machine, flow) = (session.machine, session.flow)
        _ = runOnce(on: session, firing: firing) {
            do throws(Reason) { try machine.take(firing) } catch {
                let event = flow.signalEvent(firing.tag)
                stepLog.occurrences.append(
                    .refused(
                        session, event, .timer, explain(error, event.name, session, .timer),
                        after: session.seq))
            }
            stepLog.occurrences.append(.fired(session, signal: flow.signalName(firing.tag)))
        }
    }
}

extension StepLog.Occurrence {
    fileprivate var isChange: Bool { if case .changed = self { true } else { false } }

    fileprivate func changes(_ session: Session) -> Bool {
        guard case .changed(let other, _) = self else { return false }
        return other === session
    }
}

/// The journal rows of one call.
struct CallRows {
    /// The request's id, until a row contains it.
    var id: String?
    /// The called session and its state before the call, until the first row of the session takes it.
    var prior: (session: Session, state: PriorState)?
    /// Whether the next row is the first one. The first row is the requested one; the others follow from it.
    var isFirst = true

    mutating func takePriorState(of session: Session) -> PriorState? {
        guard let (called, state) = prior, called === session else { return nil }
        prior = nil
        return state
    }

    /// Returns the id for the next row, and whether the row follows from the one before it.
    mutating func next() -> (id: String?, follows: Bool) {
        (exchange(&id, with: nil), !exchange(&isFirst, with: false))
    }
}
