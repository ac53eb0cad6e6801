internal import GameFlow
internal import Timers

/// What machines did during one call, in order.
struct StepLog {
    enum Event {
        case did(Session, Step)
        /// A beat, with the timers of that instant if somebody watches beats.
        case beat(Session, Step, [LiveTimer])
        /// A posted event, or a timer's signal, was refused; `error` is what a sender would have been answered.
        case refused(Session, Happening, Source, RequestError)
        /// A timer's signal was handled, with whatever result.
        case fired(Session, signal: String)
    }

    var events: [Event] = []
}

/// A call: the machine runs, and what it did becomes changes, rows and notices.
extension Sessions {
    /// What came of a call.
    struct Result {
        /// The first change, or the beat that stands for it; nil if nothing was done.
        var change: Change?
        /// Why the machine refused what it was asked; nil if it did it.
        var refusal: Reason?
    }

    /// Whether a machine is in the middle of a step: a call has to wait.
    var isRunning: Bool { queue.isRunning }

    /// Runs one call, of a request with that id, to completion. `work` asks a machine for something; all that it and what it posted did is applied
    /// afterwards, also if the machine refused what it was asked. `before` is the session before the call, if its timers
    /// have changed by now.
    func run(
        id: String? = nil, on session: Session?, order: Change.Order? = nil,
        before: Before? = nil, _ work: () throws(Reason) -> Void
    ) -> Result {
        // Inside another call, which applies the events.
        let isInner = isRunning
        var rows = CallRows(id: id)
        if let session, isRecorded, !isInner { rows.before = (session, before ?? Before(session)) }
        var result = Result()
        do throws(Reason) { try work() } catch { result.refusal = error }
        guard !isInner else { return result }
        let events = exchange(&log.events, with: [])
        result.change = apply(events, order, &rows)
        return result
    }

    /// Applies what machines did outside any call: somebody has posted an event to one.
    func applyPosted() {
        guard !log.events.isEmpty else { return }
        let events = exchange(&log.events, with: [])
        var rows = CallRows()
        _ = apply(events, nil, &rows)
    }

    /// Makes changes, rows and notices of what machines did. Returns the first change or requested beat.
    private func apply(
        _ events: [StepLog.Event], _ order: Change.Order?, _ rows: inout CallRows
    ) -> Change? {
        var first: Change?
        defer { publish() }
        for (place, event) in events.enumerated() {
            switch event {
            case .did(let session, let step):
                let change = session.number(step, order: self.order(of: step, order))
                first = first ?? change
                let isLast = !events[(place + 1)...].contains { $0.changes(session) }
                keep(change, of: session, &rows, isLast: isLast)
            case .beat(let session, let step, let timers):
                let beat = tell(beat: step, timers, of: session)
                guard step.source !== Source.timer, first == nil else { continue }
                first = beat
                recordAnswer(beat, of: session, &rows)
            case .refused(let session, let event, let source, let error):
                keepRefused(event, source, error, of: session)
            case .fired(let session, let signal):
                let hasChanged = events[..<place].contains { $0.changes(session) }
                recordFiring(of: signal, in: session, hasChanged: hasChanged, &rows)
            }
        }
        return first
    }

    private func order(of step: borrowing Step, _ order: Change.Order?) -> Change.Order? {
        switch step.kind {
        case .goto, .timer: order
        case .drop: .override(reason: step.why?.name)
        case .open, .enter, .keep, .defer, .close: nil
        }
    }

    /// A beat has no number: as an answer it shows those of the session's last change.
    private func tell(beat step: Step, _ timers: [LiveTimer], of session: Session) -> Change {
        notice(.beats, of: session) {
            .beat(
                Beat(
                    session: session.name, entry: session.entry, step: step, timers: timers, at: now
                ))
        }
        return session.unnumbered(step)
    }
}

/// Timers that are due.
extension Sessions {
    /// A timer of a session's present state is due.
    func fire(_ tag: UInt8, missed: Int, of session: Session) {
        let (machine, flow) = (session.machine, session.flow)
        let before = isRecorded ? Before(session, firing: (tag, missed)) : nil
        _ = run(on: session, before: before) {
            do throws(Reason) { try machine.take(due: tag, missed: missed) } catch {
                let event = flow.signalEvent(tag)
                log.events.append(
                    .refused(
                        session, event, .timer, explain(error, event.name, session, .timer)))
            }
            log.events.append(.fired(session, signal: flow.signalName(tag)))
        }
    }
}

extension StepLog.Event {
    fileprivate func changes(_ session: Session) -> Bool {
        guard case .did(let other, _) = self else { return false }
        return other === session
    }
}

/// The journal rows of one call.
struct CallRows {
    /// The request's id, until a row has it.
    var id: String?
    /// The session that is asked, as it was before the call, until a row has it.
    var before: (session: Session, before: Before)?
    /// Whether no row was written yet: the first one was asked for, the others follow from it.
    var isFirst = true

    mutating func takeBefore(of session: Session) -> Before? {
        guard let (asked, before) = before, asked === session else { return nil }
        self.before = nil
        return before
    }

    /// The id of the next row, and whether it follows from the one before it.
    mutating func next() -> (id: String?, follows: Bool) {
        (exchange(&id, with: nil), !exchange(&isFirst, with: false))
    }
}
