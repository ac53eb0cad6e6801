public import Timers

/// What moves on the virtual clock beside the sessions, and has events for them: a simulated radio. It has a
/// timeline of its own, for its comings and goings are nobody's timers.
public protocol Companion: AnyObject {
    /// Goes on to an instant, or to the first one before at which it has something for the sessions: that one. Nil
    /// once it is there, with nothing.
    func go(to instant: Instant) -> Instant?
    /// Hands over what it has.
    func handOver()
}
