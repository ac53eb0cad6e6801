public import GameFlow
public import Timers

/// Operators' commands to timers, and the movement of virtual time.
extension Sessions {
    // MARK: operating a timer

    /// Applies an operation, such as a pause, to one timer or to all timers of the session's state. An operation on one timer
    /// names the timer by its signal. An operation without effect, such as a second pause, is not a change. Returns the session
    /// after the operation.
    @discardableResult public func operate(
        _ operation: TimerOperation, on session: Session, _ context: RequestContext
    ) throws(RequestError) -> Answer<SessionStatus> {
        if let answer = try answer(to: context, of: session.name) { return answer }
        try checkEntry(context.entry, of: session)
        try checkCall(on: session.name)
        let before = PriorState(session)
        let place = session.machine.place
        let step = Step(.timer, from: context.source, place, place)
        let details = Change.Details.timer(operation)
        let change: Change
        if try apply(operation, session) {
            _ = run(id: context.id, on: session, details: details, before: before) {
                session.completed(step)
            }
            change = session.lastChange
        } else {
            // A repeated request with this id must change nothing, even if the operation would then have an
            // effect.
            change = session.unnumberedChange(step, details: details)
            var rows = CallRows(id: context.id)
            recordAnswer(change, of: session, after: session.last, &rows)
        }
        let status = session.status
        remember(CachedAnswer(change: change, content: .status(status)), context, of: session)
        return Answer(status, row: row(of: session))
    }

    /// Applies the operation to the timer or timers that it names; returns whether that changed a timer.
    private func apply(_ operation: TimerOperation, _ session: Session) throws(RequestError) -> Bool
    {
        let state = session.machine.place.state
        if operation.fires == TimerOperation.all { return try applyToAll(operation, session) }
        guard let timer = session.machine.timer(operation.fires) else {
            throw .invalid(.state(state), argument: "fires", why: noTimer(in: session))
        }
        do throws(TimerOperation.OperationError) {
            return try operation.apply(to: timer, on: timerQueue)
        } catch {
            switch error {
            case .noEnd:
                throw .invalid(
                    .state(state), argument: "action",
                    why: TimerOperation.OperationError.noEndSentence)
            case .tooLong:
                throw .limit(which: "timerMs", limit: Int(Duration.longest.milliseconds))
            }
        }
    }

    /// Applies the operation to all timers of the state; returns whether that changed a timer.
    private func applyToAll(_ operation: TimerOperation, _ session: Session) throws(RequestError)
        -> Bool
    {
        guard operation.action.mayApplyToAll else {
            throw .invalid(
                .state(session.machine.place.state), argument: "fires",
                why: "only pause and resume apply to all timers at once")
        }
        var hasChanged = false
        for timer in session.machine.liveTimers {
            // `try?` hides no error: only pausing and resuming get here, and they are possible for every timer.
            if (try? operation.apply(to: timer, on: timerQueue)) == true { hasChanged = true }
        }
        return hasChanged
    }

    /// The explanation for a timer that was not found, with the names of the existing timers.
    private func noTimer(in session: Session) -> String {
        let names = session.machine.liveTimers.map(\.fires)
        let existing = names.isEmpty ? "none" : names.joined(separator: ", ")
        return "no such timer in this state; its timers: \(existing)"
    }

    // MARK: virtual time

    /// How far to move the virtual clock.
    public enum Advance: Equatable, Sendable {
        case by(Duration)
        /// To the next deadline.
        case toNext
    }

    /// A timer that fired during an `advance`.
    public struct FiredTimer {
        public let session: SessionName
        /// The timer's signal.
        public let fires: String
        public let at: Instant
    }

    /// Moves the virtual clock and fires the timers that become due, each at its own deadline. Returns the timers that fired.
    /// `more` is true if the clock stopped before the end of `step`, because a limit of firings or of simulated steps was
    /// reached. The clock then stays at the last instant that it reached. Throws `notVirtual` if the clock is real.
    ///
    /// The move itself is recorded, so that virtual time never goes back before an instant that a client has
    /// seen.
    ///
    /// The `simulator`, such as a simulated radio, has events of its own. Each of its events is handled at the event's own
    /// instant, after the timers that are due by then.
    public func advance(_ step: Advance, from source: Source? = nil) throws(RequestError)
        -> (fired: [FiredTimer], more: Bool)
    {
        // On a real clock and during an outage, `advanceClock` throws.
        guard let simulator, isVirtual, outage == nil else {
            return try advanceClock(step, limits.firings, source)
        }
        var fired: [FiredTimer] = []
        var remainingSteps = limits.simulatorSteps
        let firstTarget = targetInstant(of: step)
        // Each round ends at an event of the simulator or at the target. An event can set timers, so the next deadline is
        // computed again in each round.
        for _ in 0..<limits.firings {
            let target = step == .toNext ? targetInstant(of: step) : firstTarget
            // If the target is too late, `advanceClock` throws.
            let stop =
                target <= .last
                ? simulator.run(until: target, steps: &remainingSteps) : .reachedInstant
            let remainingFirings = limits.firings - fired.count
            switch stop {
            case .reachedInstant:
                let lastStep = step == .toNext ? step : .by(target - now)
                let (newlyFired, more) = try advanceClock(lastStep, remainingFirings, source)
                return (fired + newlyFired, more)
            case .outOfSteps(let at):
                let newlyFired = try advanceClock(.by(at - now), remainingFirings, source).fired
                return (fired + newlyFired, true)
            case .event(let at):
                let (newlyFired, more) = try advanceClock(.by(at - now), remainingFirings, source)
                fired += newlyFired
                if more { return (fired, true) }
                simulator.sendEvents()
                // If timers fired at the instant of the event, that instant was the next deadline, and the move is complete.
                if step == .toNext, !newlyFired.isEmpty { return (fired, false) }
            }
        }
        return (fired, true)
    }

    /// Moves the virtual clock without the simulator, and records the move. At most `limit` timers fire.
    private func advanceClock(_ step: Advance, _ limit: Int, _ source: Source?) throws(RequestError)
        -> (fired: [FiredTimer], more: Bool)
    {
        guard let clock = clock as? VirtualClock else { throw .notVirtual }
        if targetInstant(of: step) > .last {
            throw .limit(which: "clockMs", limit: Int(Instant.last.milliseconds))
        }
        if let outage { throw outageError(outage) }
        var fired: [FiredTimer] = []
        let listen: VirtualClock.Listener = { firing, owner in
            guard let machine = owner as? AnyMachine, let session = machine.observer as? Session
            else { return }
            let fires = machine.flow.signalName(firing.tag)
            fired.append(FiredTimer(session: session.name, fires: fires, at: firing.deadline))
        }
        // The notifications wait until the row of the move is written, and then until that row is durable.
        if isRecorded { subscriptions.hold() }
        let result =
            switch step {
            case .by(let interval): clock.advance(by: interval, limit: limit, listen)
            case .toNext: clock.advanceToNext(limit: limit, listen)
            }
        recordAdvance(step, source, fired: fired.count, isCutShort: result.isCutShort)
        subscriptions.release(after: newestRow)
        publish()
        return (fired, result.isCutShort)
    }

    /// The instant to which a move leads.
    private func targetInstant(of step: Advance) -> Instant {
        switch step {
        case .by(let interval): now + interval
        // `timerQueue.next` is the next deadline.
        case .toNext: timerQueue.next ?? now
        }
    }
}
