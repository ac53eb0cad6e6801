public import Timers

/// A participant, such as a simulated radio, that runs on the virtual clock beside the sessions and sends events to them. The
/// participant has its own clock, because its events are not timers of a session.
public protocol SimulatedParticipant: AnyObject {
    /// Advances the participant's clock to `instant`. Stops earlier if the participant has an event for the sessions, or if
    /// `steps` timers of the participant have fired. Subtracts the number of fired timers from `steps`. Returns why it stopped.
    func run(until instant: Instant, steps: inout Int) -> ParticipantStop
    /// Sends the participant's events to the sessions. Called when the sessions' clock has reached the instant of
    /// `ParticipantStop.event`.
    func sendEvents()
}

/// The reason for which a participant stopped.
public enum ParticipantStop: Equatable, Sendable {
    /// The participant's clock reached the requested instant, and no event is due by then.
    case reachedInstant
    /// The participant has an event for the sessions at this instant.
    case event(Instant)
    /// The allowed number of timers fired; the participant's clock stopped at this instant.
    case outOfSteps(Instant)
}
