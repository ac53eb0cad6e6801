internal import Journal
internal import Sessions
internal import Timers

/// What a replay does with the records that come about while a journal is run again.
///
/// A method that returns something ends the row that is run.
protocol ReplayPolicy: AnyObject {
    /// What ends a row early; `Never` if nothing does.
    associatedtype Stop

    /// The daemon started.
    func start(at now: Instant, lastSign: Instant) -> Stop?
    /// A timer fired at its own deadline, before a recorded row.
    func timerFired(before record: SessionRecord) -> Stop?
    /// Whether the timer that a record says has fired has the deadline that it had then.
    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool
    /// The timer that a record says has fired is not due now.
    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Stop?
    /// What came from outside is about to be done again.
    func willPerform(_ record: SessionRecord) -> Stop?
    /// What came from outside is refused now.
    func refused(_ error: RequestError, _ record: SessionRecord) -> Stop?
    /// What a record says came about then: the next record that comes about now should be the same.
    func compare(_ record: SessionRecord) -> Stop?
    /// An event was refused, or a session given up: nothing came about then.
    func nothingCameAbout(_ deed: JournalCommand, _ record: SessionRecord) -> Stop?
}
