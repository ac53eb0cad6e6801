public import GameFlow
internal import Support
public import Timers

/// The movement of virtual time.
extension Sessions {
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
        firedInAdvance = []
        // The notifications wait until the row of the move is written, and then until that row is durable.
        if isRecorded { subscriptions.hold() }
        let result =
            switch step {
            case .by(let interval): clock.advance(by: interval, limit: limit)
            case .toNext: clock.advanceToNext(limit: limit)
            }
        let fired = exchange(&firedInAdvance, with: nil) ?? []
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
