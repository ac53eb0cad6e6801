public import Timers

/// The error of a typed `send`: the reason, the state that refused, the refused event, and the earlier event that led into this
/// state.
///
/// An error must be `Sendable`, but a state that contains a timer is not. So read a refusal only on the machine's own thread,
/// and do not send it to another thread.
public struct Refusal<State, Event>: Error {
    public let reason: Reason
    /// The state that refused the event; it is unchanged.
    public nonisolated(unsafe) let state: State
    public nonisolated(unsafe) let event: Event
    /// The event that led into `state`, and the instant at which the state was entered. Nil if the state was entered without an
    /// event, as the first state is.
    public nonisolated(unsafe) let last: (event: Event, at: Instant)?

    @inlinable public init(
        _ reason: Reason, _ state: State, _ event: Event, last: (event: Event, at: Instant)? = nil
    ) {
        (self.reason, self.state, self.event, self.last) = (reason, state, event, last)
    }
}
