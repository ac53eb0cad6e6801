package import GameFlow
import Sessions
package import Timers

/// The last event that a device or a connection of the room sent to a session, and the outcome of the event. The method
/// `sources` shows it to operators.
package struct SourceEvent {
    /// The name of the event.
    package let event: String
    /// The name of the session, which the `map` line determines. It may be that no session has this name.
    package let session: String
    /// The time of the outcome, on a clock that the creator of this value chooses.
    package let at: Instant
    /// If the event was accepted, the kind of the change: `enter`, `keep` or `defer`. If it was refused, the name of the error.
    package let outcome: String

    package init(event: String, session: String, at: Instant, outcome: String) {
        (self.event, self.session, self.at, self.outcome) = (event, session, at, outcome)
    }

    /// The JSON object that the method `sources` returns. `now` is the present time on the same clock as `at`.
    package func value(at now: Instant) -> Value {
        .object([
            Member("event", event), Member("session", session), Member("outcome", outcome),
            Member("agoMs", max(0, Int((now - at).milliseconds))),
        ])
    }
}
