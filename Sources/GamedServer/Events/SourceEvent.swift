import GameFlow
import Sessions
import Timers

/// The last event that a device or a connection has sent to a session, and what the session did with it.
struct SourceEvent {
    let event: String
    /// The name as the line gave it: it may be no session's.
    let session: String
    let at: Instant
    /// `enter`, `keep`, `defer`, or the error's name.
    let outcome: String

    /// The description that `sources` returns; `now` is on the clock of `at`.
    func value(at now: Instant) -> Value {
        .object([
            Member("event", event), Member("session", session), Member("outcome", outcome),
            Member("agoMs", max(0, Int((now - at).milliseconds))),
        ])
    }
}
