import GameFlow
import Sessions
import Timers

/// What causes outputs: a change that asks for an effect or enters a state, or a refused event.
struct OutputOccasion: Equatable {
    /// The session and its flow.
    let session: SessionName
    let flow: String
    /// The numbers of the session's last change within the session and within the daemon, and of the present entry.
    let (seq, pos, entry): (Int, Int, Int)
    let at: Instant
    /// The effect that is asked for; nil for an entry and for a refusal.
    let effect: String?
    /// The arguments of the effect, or of the event that was refused.
    let arguments: [Member]
    /// The state after the change.
    let state: StateRecord?
    let labels: [Member]

    /// The value of a placeholder; nil if the occasion does not have it.
    func part(_ placeholder: OutputPlaceholder) -> Value? {
        switch placeholder {
        case .args(let name): arguments[name]
        case .data(let name): state?.data[name]
        case .label(let name): labels[name]
        case .session: .string(session.text)
        case .state: state.map { .string($0.state) }
        case .effect: effect.map { .string($0) }
        }
    }
}
