internal import Journal
internal import Sessions
internal import Timers

/// Decides what happens with the records of a replay.
///
/// If a method returns a value, the driver stops executing the present row and returns that value.
protocol ReplayPolicy: AnyObject {
    /// The value that stops a row; `Never` if nothing does.
    associatedtype Stop

    /// The daemon started.
    func start(at now: Instant, lastSign: Instant) -> Stop?
    /// A timer fired at its own deadline, before a recorded row.
    func timerFired(before record: SessionRecord) -> Stop?
    /// Whether the timer of a recorded firing has the same deadline as in the recording.
    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool
    /// The timer of a recorded firing is not due in the replay.
    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Stop?
    /// An input from outside is about to be executed.
    func willPerform(_ record: SessionRecord) -> Stop?
    /// An input from outside was refused in the replay.
    func refused(_ error: RequestError, _ record: SessionRecord) -> Stop?
    /// A record describes a consequence: the next record of the replay should be the same.
    func compare(_ record: SessionRecord) -> Stop?
    /// A record describes a refused event or a given-up session: it had no consequence.
    func nothingCameAbout(_ deed: JournalCommand, _ record: SessionRecord) -> Stop?
}
