internal import GameFlow
internal import Timers

/// What machines did during one call, in order.
struct StepLog {
    enum Event {
        case changed(Session, Change)
        /// A beat, as the answer to a request for it, and the session's newest change at that time; with the timers of
        /// that instant if somebody watches beats.
        indirect case beat(Session, Change, after: Change?, [LiveTimer])
        /// A posted event, or a timer's signal, was refused, with the error that a sender would have been answered, after
        /// the session's change of that number.
        indirect case refused(Session, EventRecord, Source, RequestError, after: Int)
        /// A timer's signal was handled, with whatever result.
        indirect case fired(Session, signal: String)
    }

    var events: [Event] = []
    /// How many of the changes have not been applied.
    var unapplied = 0
    /// What the call says besides: the reason of an operator, or an operation of a timer.
    var order: Change.Order?

    /// What a change says besides.
    func order(of step: borrowing Step) -> Change.Order? {
        switch step.kind {
        case .goto, .timer: order
        case .drop: .override(reason: step.why?.name)
        case .open, .enter, .keep, .defer, .close: nil
        }
    }
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
        before: PriorState? = nil, _ work: () throws(Reason) -> Void
    ) -> Result {
        // Inside another call, which applies the events.
        let isInner = isRunning
        var rows = CallRows(id: id)
        if let session, isRecorded, !isInner {
            rows.before = (session, before ?? PriorState(session))
        }
        if !isInner { log.order = order }
        var result = Result()
        do throws(Reason) { try work() } catch { result.refusal = error }
        guard !isInner else { return result }
        result.change = applyLog(&rows)
        return result
    }

    /// Applies what machines did outside any call: somebody has posted an event to one.
    func applyPosted() {
        guard !log.events.isEmpty else { return }
        var rows = CallRows()
        _ = applyLog(&rows)
    }

    private func applyLog(_ rows: inout CallRows) -> Change? {
        var events = exchange(&log.events, with: [])
        let first = apply(events, &rows)
        // The next call uses the memory of this one.
        if log.events.isEmpty {
            events.removeAll(keepingCapacity: true)
            log.events = events
        }
        return first
    }

    /// Makes rows and notices of what machines did. Returns the first change or requested beat.
    private func apply(_ events: [StepLog.Event], _ rows: inout CallRows) -> Change? {
        var first: Change?
        defer { publish() }
        for place in events.indices {
            switch events[place] {
            case .changed(let session, let change):
                if first == nil { first = change }
                let isLast =
                    place + 1 == events.count
                    || !events[(place + 1)...].contains { $0.changes(session) }
                keep(change, of: session, &rows, isLast: isLast)
            case .beat(let session, let beat, let last, let timers):
                notice(.beats, of: session) { .beat(Beat(beat, timers)) }
                guard beat.step.source !== Source.timer, first == nil else { continue }
                first = beat
                recordAnswer(beat, of: session, after: last, &rows)
            case .refused(let session, let event, let source, let error, let seq):
                keepRefused(event, source, error, of: session, after: seq)
            case .fired(let session, let signal):
                let hasChanged = events[..<place].contains { $0.changes(session) }
                recordFiring(of: signal, in: session, hasChanged: hasChanged, &rows)
            }
        }
        return first
    }
}

/// Timers that are due.
extension Sessions {
    /// A timer of a session's present state is due.
    func fire(_ tag: UInt8, missed: Int, of session: Session) {
        let (machine, flow) = (session.machine, session.flow)
        let before = isRecorded ? PriorState(session, firing: (tag, missed)) : nil
        _ = run(on: session, before: before) {
            do throws(Reason) { try machine.take(due: tag, missed: missed) } catch {
                let event = flow.signalEvent(tag)
                log.events.append(
                    .refused(
                        session, event, .timer, explain(error, event.name, session, .timer),
                        after: session.seq))
            }
            log.events.append(.fired(session, signal: flow.signalName(tag)))
        }
    }
}

extension StepLog.Event {
    fileprivate func changes(_ session: Session) -> Bool {
        guard case .changed(let other, _) = self else { return false }
        return other === session
    }
}

/// The journal rows of one call.
struct CallRows {
    /// The request's id, until a row has it.
    var id: String?
    /// The session that is asked, as it was before the call, until a row has it.
    var before: (session: Session, before: PriorState)?
    /// Whether no row was written yet: the first one was asked for, the others follow from it.
    var isFirst = true

    mutating func takeBefore(of session: Session) -> PriorState? {
        guard let (asked, before) = before, asked === session else { return nil }
        self.before = nil
        return before
    }

    /// The id of the next row, and whether it follows from the one before it.
    mutating func next() -> (id: String?, follows: Bool) {
        (exchange(&id, with: nil), !exchange(&isFirst, with: false))
    }
}
