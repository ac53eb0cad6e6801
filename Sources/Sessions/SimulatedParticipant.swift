public import Timers

/// A participant that runs on the virtual clock beside the sessions and sends events to them, such as a
/// simulated radio. It has its own clock, because its events are not timers of a session.
public protocol SimulatedParticipant: AnyObject {
    /// Runs until `instant`, until the first instant before it at which the participant has an event for the
    /// sessions, or until `steps` steps were made. Subtracts the steps made from `steps`.
    func run(until instant: Instant, steps: inout Int) -> ParticipantStop
    /// Sends the participant's events to the sessions.
    func sendEvents()
}

/// The reason for which a participant stopped.
public enum ParticipantStop: Equatable, Sendable {
    /// The participant reached the instant without an event.
    case arrived
    /// The participant has an event for the sessions at this instant.
    case event(Instant)
    /// The participant has made all allowed steps and stopped at this instant.
    case outOfSteps(Instant)
}
