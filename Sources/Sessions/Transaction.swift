internal import GameFlow
internal import Timers

/// Running a call: the machine makes its steps, and the steps become changes, rows and notifications.
extension Sessions {
    /// The result of a call.
    struct Result {
        /// What came first: a change, or a beat that a request caused. Nil if there was neither.
        var change: Change?
        /// The reason for which the machine refused the call; nil if it did not refuse the call.
        var refusal: Reason?
    }

    /// Whether a machine is making a step, so that no call can start.
    var isRunning: Bool { queue.isRunning }

    /// Runs one call to completion. `work` calls the session's machine. Then all resulting steps are applied, including the
    /// steps of posted events, even if the machine refused the call itself.
    ///
    /// `id` is the id of the request. `session` is nil if the call opens a session. `before` is the session's state before the
    /// call; if it is nil, `run` reads the state from the session. Some callers change the session before they call `run`, for
    /// example by an operation on a timer; these callers pass the state before their change.
    ///
    /// `firing` is the firing whose signal the call handles; nil for a request. The function that carries out a request calls
    /// `finishRequest` when it has the answer.
    func run(
        id: String? = nil, on session: Session?, details: Change.Details? = nil,
        before: SessionState? = nil, firing: Firing? = nil, _ work: () throws(Reason) -> Void
    ) -> Result {
        // This call runs inside another call; the outer call applies the transcript.
        if isRunning {
            var result = Result()
            do throws(Reason) { try work() } catch { result.refusal = error }
            return result
        }
        var rows = CallRows(id: id)
        if let session {
            rows.before = CallRows.Before(
                session, before ?? SessionState(session, firing: firing))
        }
        return runOutermost(&rows, details, work)
    }

    /// Runs a call that is not inside another call.
    private func runOutermost(
        _ rows: inout CallRows, _ details: Change.Details?, _ work: () throws(Reason) -> Void
    ) -> Result {
        transcript.begin(details)
        var result = Result()
        do throws(Reason) { try work() } catch { result.refusal = error }
        result.change = applyTranscript(&rows)
        return result
    }

    /// Ends a request, after its answer: fires the timers that it has set to zero, and makes the steps of linked sessions.
    func finishRequest() {
        if !isRunning, timerQueue.isTimerDue { clock.fireDueTimers() }
        makeStepsOfLinkedSessions()
    }

    /// Applies the steps of an event that was posted to a machine while no call was running.
    func applyPosted() {
        guard !transcript.occurrences.isEmpty else { return }
        defer { makeStepsOfLinkedSessions() }
        var rows = CallRows()
        _ = applyTranscript(&rows)
    }

    /// Applies and empties the transcript. Returns what `Result.change` describes.
    private func applyTranscript(_ rows: inout CallRows) -> Change? {
        if let (session, change) = transcript.takeOnlyChange() {
            add(change, of: session, &rows, isLast: true)
            publish()
            return change
        }
        let occurrences = transcript.take()
        let first = apply(occurrences, &rows)
        transcript.reuse(occurrences)
        return first
    }

    /// Converts occurrences to rows and notifications. Returns what `Result.change` describes.
    private func apply(_ occurrences: [Transcript.Occurrence], _ rows: inout CallRows) -> Change? {
        var first: Change?
        rows.stepCount = occurrences.count
        // `makeStepsOfLinkedSessions` has counted one step of the call.
        if linkQueue.isMakingSteps { linkQueue.stepCount += occurrences.count - 1 }
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
                queueNotification(.beats, of: session) { .beat(beat, timers) }
                // A beat that a request caused is the answer to the request.
                guard beat.step.source !== Source.timer, first == nil else { continue }
                first = beat
                recordAnswer(beat, of: session, after: last, &rows)
            case .refused(let session, let refused): addRefusedEvent(refused, of: session)
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
    /// Handles the firing of a timer of a session's present state. `firing.tag` is the number of the timer's signal in the
    /// flow. Refuses the signal after too many firings without time between them.
    func fire(_ firing: Firing, of session: Session) {
        defer { makeStepsOfLinkedSessions() }
        let flow = session.flow
        firedInAdvance?.append(
            FiredTimer(
                session: session.name, fires: flow.signalName(firing.tag), at: firing.deadline))
        counts.countFiring(late: lateness(of: firing, session), firing.tag, of: session)
        _ = run(on: session, firing: firing) {
            if let error = refusal(of: firing, of: session) {
                let event = flow.signalEvent(firing.tag)
                transcript.append(
                    .refused(session, RefusedEvent(event, from: .timer, error, of: session)))
            }
            transcript.append(.fired(session, signal: flow.signalName(firing.tag)))
        }
    }

    /// Passes the signal of a firing to the session's machine. Returns the error if it is refused.
    private func refusal(of firing: Firing, of session: Session) -> RequestError? {
        if session.isRefused(firing) {
            return .limit(which: "instantFirings", limit: Int(limits.instantFirings))
        }
        do throws(Reason) { try session.machine.take(firing) } catch {
            return explain(error, session.flow.signalName(firing.tag), session, .timer)
        }
        return nil
    }

    /// By how many nanoseconds a firing is late. A change that set the timer to an instant in the past, such as an undo with running
    /// clocks, does not make it late.
    private func lateness(of firing: Firing, _ session: Session) -> Int64 {
        let lateness = now.nanoseconds &- firing.deadline.nanoseconds
        guard lateness > 0, case .recent(let change) = session.newest,
            change.kind == .undo || change.kind == .timer
        else { return lateness }
        return min(lateness, now.nanoseconds &- change.at.nanoseconds)
    }
}

extension Transcript.Occurrence {
    /// Whether the occurrence is a change of this session.
    fileprivate func changes(_ session: Session) -> Bool {
        guard case .changed(let other, _) = self else { return false }
        return other === session
    }
}

/// What the journal rows and the changes of one call need to know of the call.
struct CallRows {
    /// The request's id; nil after the first row has got it, and for a call without an id.
    var id: String?
    /// The called session before the call; nil for a call that opens a session.
    var before: Before?
    /// Whether the next row is the first row of the call. The first row records what was requested. All other rows follow from
    /// the first row.
    var isFirst = true
    /// The number of steps of the call, with those of posted events.
    var stepCount = 1

    /// The called session before the call. Its first change takes the state for an undo, and its first row takes it for a failure
    /// of the store. A row without a change can come before the first change.
    struct Before {
        private let session: Session
        private let state: SessionState
        private var isInChange = false
        private var isInRow = false

        init(_ session: Session, _ state: SessionState) {
            (self.session, self.state) = (session, state)
        }

        /// Returns the state if the next change of this session is its first in the call; otherwise nil.
        mutating func takeForChange(of session: Session) -> SessionState? {
            guard self.session === session, !isInChange else { return nil }
            isInChange = true
            return state
        }

        /// Returns the state if the next row of this session is its first in the call; otherwise nil.
        mutating func takeForRow(of session: Session) -> SessionState? {
            guard self.session === session, !isInRow else { return nil }
            isInRow = true
            return state
        }
    }

    /// Returns the id for the next row, and whether the next row follows from an earlier row of the call.
    mutating func beginRow() -> (id: String?, isConsequence: Bool) {
        (exchange(&id, with: nil), !exchange(&isFirst, with: false))
    }
}
