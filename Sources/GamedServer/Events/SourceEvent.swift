import GameFlow
import Sessions
import Timers

/// The last event that a device or a connection of the room sent to a session, and the outcome of the event. The method
/// `sources` shows it to operators.
struct SourceEvent {
    /// The name of the event.
    let event: String
    /// The name of the session, which the `map` line determines. It may be that no session has this name.
    let session: String
    /// The time of the outcome, on a clock that the creator of this value chooses.
    let at: Instant
    /// If the event was accepted, the kind of the change: `enter`, `keep` or `defer`. If it was refused, the name of the error.
    let outcome: String

    /// The JSON object that the method `sources` returns. `now` is the present time on the same clock as `at`.
    func value(at now: Instant) -> Value {
        .object([
            Member("event", event), Member("session", session), Member("outcome", outcome),
            Member("agoMs", max(0, Int((now - at).milliseconds))),
        ])
    }
}
