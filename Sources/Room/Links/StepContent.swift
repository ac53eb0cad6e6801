package import Sessions
import Timers

/// A step of another session, which a change of the session `origin` asks for.
package struct StepContent: OutputContent {
    /// How long a send to another session waits for an answer before it is repeated. The time is longer than usual values of
    /// `--hold`, so that the router answers first if the session has no owner. A repetition has the same id, so the session
    /// does not take the event twice.
    package static let timeout = Duration.seconds(120)

    package let step: LinkedStep
    package let origin: SessionName

    package var summary: String { "session \(step.target.text)" }
}
