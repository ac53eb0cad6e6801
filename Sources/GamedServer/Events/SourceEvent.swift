import GameFlow
import Sessions
import Timers

/// The last event that a device or a connection sent to a session, and its outcome.
struct SourceEvent {
    let event: String
    /// The session's name, as the `map` line composed it. There may be no such session.
    let session: String
    /// The time of the outcome, on a clock that the creator of this value chooses.
    let at: Instant
    /// The kind of the change, `enter`, `keep` or `defer`; or the name of the error.
    let outcome: String

    /// The description that the method `sources` returns. `now` is the present time on the same clock as `at`.
    func value(at now: Instant) -> Value {
        .object([
            Member("event", event), Member("session", session), Member("outcome", outcome),
            Member("agoMs", max(0, Int((now - at).milliseconds))),
        ])
    }
}
