public import GameFlow
public import Timers

/// An event that a session refused: its sender, its instant and the error.
public final class RefusedEvent {
    /// The number of the session's changes at that time; the refusal came after the change with this number.
    public let seq: Int
    public let session: SessionName
    public let event: EventRecord
    /// The number of bytes of the event's arguments that the journal left out; 0 for a complete event.
    public let omittedBytes: Int
    public let source: Source
    public let error: EventError
    public let at: Instant
    /// The names that the session's flow hides from callers that may only play or observe; nil if the flow hides no names.
    package let hidden: HiddenNames?
    /// The number of the refusal within the daemon, counted from 1. For a refusal from the journal, this is the position of its
    /// row.
    let number: Int
    /// The number of the session's previous refusal. It is 0 for the session's first refusal, and for a refusal from the
    /// journal.
    let previous: Int
    /// The approximate number of bytes from clients that the object retains.
    let weight: Int
    /// The number of refusals that were left out of the journal between the session's previous recorded refusal and this one.
    public let dropped: Int
    /// The position of the session's newest row at the time of the refusal. If refusals are recorded, this is the row of the
    /// refusal. The position is 0 if there is no row, and in an object that was made from a journal record.
    var newestRow = 0
    /// When the event was received, if it is one of those that wait for each other; otherwise nil.
    package let receipt: Change.Receipt?

    /// The error with which an event was refused.
    public enum EventError {
        /// The error of an event that this run of the daemon has refused.
        case live(RequestError)
        /// The error as the journal records it: its number, its name and its data.
        case recorded(code: Int, name: String, data: [Member])

        /// The error's number.
        public var code: Int {
            switch self {
            case .live(let error): error.number
            case .recorded(let code, _, _): code
            }
        }

        /// The error's name.
        public var name: String {
            switch self {
            case .live(let error): error.name.description
            case .recorded(_, let name, _): name
            }
        }

        /// The error's data for clients.
        public var data: [Member] {
            switch self {
            case .live(let error): error.data
            case .recorded(_, _, let data): data
            }
        }
    }

    /// Creates a refused event from a journal record; nil for any other kind of record.
    init?(_ row: SessionRecord, number: Int, hiding hidden: HiddenNames?) {
        guard case .refusal(let refusal) = row.body, let session = row.session else { return nil }
        (self.hidden, receipt) = (hidden, refusal.receipt)
        (event, omittedBytes) = (refusal.event, refusal.omittedBytes)
        source = refusal.source
        error = .recorded(code: refusal.code, name: refusal.error, data: refusal.data)
        (self.session, seq, at, self.number) = (session, row.seq, row.at, number)
        (previous, dropped) = (0, refusal.dropped)
        weight = Self.fixedWeight + refusal.event.weight + refusal.data.weight
    }

    /// Creates the record of an event that was refused at `instant`, after the session's change with the number `seq`. `receipt` is
    /// given for an event that waits for others, even if it was refused at once.
    init(
        _ event: EventRecord, _ source: Source, _ error: RequestError, of session: Session,
        after seq: Int, _ receipt: Change.Receipt?, number: Int, at instant: Instant
    ) {
        (hidden, self.receipt) = (session.flow.hidden, receipt)
        (self.event, omittedBytes) = (event, 0)
        (self.number, dropped) = (number, 0)
        (self.source, self.error, at) = (source, .live(error), instant)
        (self.session, self.seq, previous) = (session.name, seq, session.lastRefusal)
        weight = Self.weight(event, error)
    }

    /// Stands for the parts of a record of `history` that have a fixed size, in bytes of JSON.
    static let fixedWeight = 512

    /// The error's data, such as an unknown event or argument, come from the event, so twice the event's weight is enough.
    private static func weight(_ event: EventRecord, _ error: RequestError) -> Int {
        let weight = fixedWeight + 2 * event.weight
        guard case .noTransition(_, _, _, let last?) = error else { return weight }
        return weight + last.weight
    }
}

extension RefusedEvent: RingElement {}
