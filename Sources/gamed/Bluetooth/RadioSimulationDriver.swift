import Sessions
import Timers

/// The time of a simulated radio where the clock is virtual: its own, for its comings and goings are no timers of
/// sessions; and moved along with theirs.
final class RadioSimulationDriver: SimulatedParticipant {
    let time: VirtualClock
    /// Whether there is something to hand over.
    var hasSomething: () -> Bool = { false }
    var hand: () -> Void = {}

    init(startingAt start: Instant) { time = VirtualClock(startingAt: start) }

    func go(to instant: Instant, steps: inout Int) -> ParticipantStop {
        while !hasSomething() {
            guard let next = time.timerQueue.next, next <= instant else {
                time.advance(by: instant - time.now)
                return .arrived
            }
            if steps == 0 { return .enough(time.now) }
            steps -= 1
            time.advanceToNext(limit: 1)
        }
        // It may have been left from before, and lie beyond.
        return time.now <= instant ? .something(time.now) : .arrived
    }

    func handOver() { hand() }

    /// What is due by now happens.
    func settle() { time.advance(by: .zero) }
}
