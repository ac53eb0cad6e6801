import Sessions
import Timers

/// A step of another session, which a change of the session `origin` asks for.
struct StepContent: OutputContent {
    /// How long a send to another session waits for an answer before it is repeated. The time is longer than usual values of
    /// `--hold`, so that the router answers first if the session has no owner. A repetition has the same id, so the session
    /// does not take the event twice.
    static let timeout = Duration.seconds(120)

    let step: LinkedStep
    let origin: SessionName

    var summary: String { "session \(step.target.text)" }
}
