public import Timers

/// A participant that runs on the virtual clock beside the sessions and sends events to them, such as a
/// simulated radio. It has its own timeline, because its events are not timers of a session.
public protocol SimulatedParticipant: AnyObject {
    /// Runs until `instant`, until the first instant before it at which the participant has an event for the
    /// sessions, or until `steps` steps were made. Subtracts the steps made from `steps`.
    func go(to instant: Instant, steps: inout Int) -> ParticipantStop
    /// Sends the participant's events to the sessions.
    func handOver()
}

/// The reason for which a participant stopped.
public enum ParticipantStop: Equatable, Sendable {
    /// It reached the instant without an event.
    case arrived
    /// It has an event at this instant.
    case something(Instant)
    /// It has made all allowed steps and stopped at this instant.
    case enough(Instant)
}
