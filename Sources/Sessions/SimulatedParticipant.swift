public import Timers

/// What moves on the virtual clock beside the sessions, and has events for them: a simulated radio. It has a
/// timeline of its own, for its comings and goings are nobody's timers.
public protocol SimulatedParticipant: AnyObject {
    /// Goes on to an instant, or to the first one before at which it has something for the sessions, or as far as
    /// `steps` doings of its own lead, of which it takes off what it needed.
    func go(to instant: Instant, steps: inout Int) -> ParticipantStop
    /// Hands over what it has.
    func handOver()
}

/// Where a companion stopped on its way.
public enum ParticipantStop: Equatable, Sendable {
    /// It is there, with nothing.
    case arrived
    /// At that instant it has something.
    case something(Instant)
    /// It has done enough, and stands at that instant.
    case enough(Instant)
}
