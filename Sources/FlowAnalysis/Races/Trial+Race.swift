internal import GameFlow
internal import Timers

/// Making things happen at one instant in a chosen order.
extension Trial {
    /// The signals of the timers that are due at an instant, in the order in which they would fire.
    func due(at instant: Instant) -> [String] {
        time.pending.filter { $0.deadline == instant }.map { flow.signalName($0.tag) }
    }

    /// Whether something is set that happens only once.
    var hasCountdown: Bool { time.pending.contains { !$0.isPendulum } }

    /// What all timers have left, in nanoseconds.
    var phase: [Int64] { time.pending.map(\.remaining.nanoseconds) }

    /// Lets time go on to an instant, and there makes one after the other happen. Nil if the state does
    /// not last so long.
    ///
    /// All that is due is paused a nanosecond before, so that nothing fires by itself. Each timer in its
    /// turn is let go on and fires a nanosecond later: less than any clock shows or any flow can tell.
    func run(_ order: [Race.Contender], after: Duration) -> Race.Outcome? {
        let (instant, entry) = (time.now + after, entries)
        let nanosecond = Duration.nanoseconds(1)
        wait(after + Duration.nanoseconds(-1))
        guard entries == entry, time.now + nanosecond == instant else { return nil }
        var timers: [String: TimerID] = [:]
        for timer in machine.liveTimers where timer.info.deadline == instant {
            timers[timer.fires] = timer.id
            time.timerQueue.pause(timer.id)
        }
        wait(nanosecond)
        begin()
        var losers: [Race.Contender] = []
        for contender in order where !happens(contender, timers) { losers.append(contender) }
        return Race.Outcome(
            order: order, place: machine.place, effects: steps.flatMap { $0.effects.map(\.name) },
            losers: losers, deferred: machine.deferredCount)
    }

    private func happens(_ contender: Race.Contender, _ timers: [String: TimerID]) -> Bool {
        switch contender {
        case .timer(let signal):
            guard let id = timers[signal], time.timerQueue.info(id) != nil else { return false }
            let before = refusals.count
            time.timerQueue.resume(id)
            wait(Duration.nanoseconds(1))
            return refusals.count == before
        case .event(.send(let event, let arguments)): return refusal(of: event, arguments) == nil
        case .event(.wait), .event(.linger): return false
        }
    }
}
