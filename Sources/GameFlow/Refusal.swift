public import Timers

/// Why a typed `send` was refused: the reason, the state that refused, the event, and what happened last.
///
/// An error has to be `Sendable`, and a state with a timer in it is not. A refusal is read where it is caught, on the
/// machine's own thread; it must not be sent to another one.
public struct Refusal<State, Event>: Error {
    public let reason: Reason
    /// The state that refused the event. It is unchanged.
    public nonisolated(unsafe) let state: State
    public nonisolated(unsafe) let event: Event
    /// The last event that led into a state, and when: who was first. Nil before the first transition.
    public nonisolated(unsafe) let last: (event: Event, at: Instant)?

    @inlinable init(
        _ reason: Reason, _ state: State, _ event: Event, last: (event: Event, at: Instant)?
    ) {
        (self.reason, self.state, self.event, self.last) = (reason, state, event, last)
    }
}
