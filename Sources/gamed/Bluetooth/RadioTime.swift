import Sessions
import Timers

/// The time of a simulated radio where the clock is virtual: its own, for its comings and goings are no timers of
/// sessions; and moved along with theirs.
final class RadioTime: Companion {
    let time: VirtualTime
    /// Whether there is something to hand over.
    var hasSomething: () -> Bool = { false }
    var hand: () -> Void = {}

    init(startingAt start: Instant, limit: Int = 300_000) {
        time = VirtualTime(startingAt: start)
        self.limit = limit
    }

    /// How much happens in the air in one request: an hour of four devices that advertise ten times a second, and
    /// about a second of work.
    private let limit: Int

    func go(to instant: Instant) -> CompanionStop {
        var left = limit
        while !hasSomething() {
            guard let next = time.agenda.next, next <= instant else {
                time.advance(by: instant - time.now)
                return .arrived
            }
            if left == 0 { return .enough(time.now) }
            left -= 1
            time.advanceToNext(limit: 1)
        }
        // It may have been left from before, and lie beyond.
        return time.now <= instant ? .something(time.now) : .arrived
    }

    func handOver() { hand() }

    /// What is due by now happens.
    func settle() { time.advance(by: .zero) }
}
