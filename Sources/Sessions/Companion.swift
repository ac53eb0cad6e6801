public import Timers

/// What moves on the virtual clock beside the sessions, and has events for them: a simulated radio. It has a
/// timeline of its own, for its comings and goings are nobody's timers.
public protocol Companion: AnyObject {
    /// Goes on to an instant, or to the first one before at which it has something for the sessions, or as far as is
    /// enough for once.
    func go(to instant: Instant) -> CompanionStop
    /// Hands over what it has.
    func handOver()
}

/// Where a companion stopped on its way.
public enum CompanionStop: Equatable, Sendable {
    /// It is there, with nothing.
    case arrived
    /// At that instant it has something.
    case something(Instant)
    /// It has done enough for one request, and stands at that instant.
    case enough(Instant)
}
