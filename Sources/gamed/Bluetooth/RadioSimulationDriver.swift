import Sessions
import Timers

/// Advances the time of a simulated radio on the virtual clock. The radio has its own timeline,
/// because its timers are not timers of sessions; it is advanced together with theirs.
final class RadioSimulationDriver: SimulatedParticipant {
    let time: VirtualClock
    /// Whether events wait for delivery.
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
        // An event from before may be later than this instant.
        return time.now <= instant ? .something(time.now) : .arrived
    }

    func handOver() { hand() }

    /// Executes what is due now.
    func settle() { time.advance(by: .zero) }
}
