public import GameFlow
public import Timers

/// An event that a session refused: its sender, its instant and the error. The journal's record of a refusal holds one, too.
///
/// This is a class, so that the ring of the newest refusals, the queues of all watchers and the call that was refused share one
/// object.
public final class RefusedEvent: Sendable {
    /// The number of the session's changes at that time; the refusal came after the change with this number.
    public let seq: Int
    public let session: SessionName
    public let event: EventRecord
    /// The number of bytes of the event's arguments that the journal left out; 0 for a complete event.
    public let omittedBytes: Int
    public let source: Source
    public let error: EventError
    public let at: Instant
    /// When the event was received, if it is one of those that wait for each other; otherwise nil.
    package let receipt: Change.Receipt?
    /// The number of refusals that were left out of the journal between the session's previous recorded refusal and this one.
    public let dropped: Int
    /// The names that the session's flow hides from callers that may only play or observe. Nil if the flow hides no names, and in
    /// a record of the journal.
    package let hidden: HiddenNames?
    /// The number of the refusal within the daemon, counted from 1. For a refusal from the journal, this is the position of its
    /// row. It is 0 until the refusal is part of a history. The numbers that can change are used only by the owner of the
    /// sessions, on its thread.
    @exclusivity(unchecked) nonisolated(unsafe) var number = 0
    /// The number of the session's previous refusal. It is 0 for the session's first refusal, and for a refusal from the
    /// journal.
    @exclusivity(unchecked) nonisolated(unsafe) var previous = 0
    /// The position of the session's newest row at the time of the refusal. If refusals are recorded, this is the row of the
    /// refusal. The position is 0 if there is no row, and for a refusal from the journal.
    @exclusivity(unchecked) nonisolated(unsafe) var newestRow = 0

    /// The error with which an event was refused. An error of this run has the session's newest change, and its data are made only
    /// when a client or the journal needs them. An error of the journal has the data.
    public enum EventError: Equatable, Sendable {
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

    package init(
        _ event: EventRecord, omittedBytes: Int = 0, from source: Source, _ error: EventError,
        of session: SessionName, after seq: Int, at instant: Instant, dropped: Int = 0,
        receipt: Change.Receipt? = nil, hiding hidden: HiddenNames? = nil
    ) {
        (self.event, self.omittedBytes) = (event, omittedBytes)
        (self.source, self.error) = (source, error)
        (self.session, self.seq, at) = (session, seq, instant)
        (self.dropped, self.receipt, self.hidden) = (dropped, receipt, hidden)
    }

    /// An event that `session` refuses now.
    convenience init(
        _ event: EventRecord, from source: Source, _ error: RequestError, of session: Session,
        receipt: Change.Receipt? = nil
    ) {
        self.init(
            event, from: source, .live(error), of: session.name, after: session.seq,
            at: session.sessions.now, receipt: receipt, hiding: session.flow.hidden)
    }

    /// The refusal of a record, for the history of a session whose flow hides these names.
    func numbered(_ number: Int, hiding hidden: HiddenNames?) -> RefusedEvent {
        let refused = RefusedEvent(
            event, omittedBytes: omittedBytes, from: source, error, of: session, after: seq, at: at,
            dropped: dropped, receipt: receipt, hiding: hidden)
        refused.number = number
        return refused
    }

    /// Stands for the parts of a record of `history` that have a fixed size, in bytes of JSON.
    static let fixedWeight = 512
}

extension RefusedEvent: RingElement {
    /// The approximate number of bytes from clients that the object retains.
    var weight: Int {
        switch error {
        // The error's data, such as an unknown event or argument, come from the event, so twice the event's weight is enough.
        case .live(.noTransition(_, _, _, let last?)):
            Self.fixedWeight + 2 * event.weight + last.weight
        case .live: Self.fixedWeight + 2 * event.weight
        case .recorded(_, _, let data): Self.fixedWeight + event.weight + data.weight
        }
    }
}

extension RefusedEvent: Equatable {
    /// Compares what a record of the journal has.
    public static func == (a: RefusedEvent, b: RefusedEvent) -> Bool {
        a.session == b.session && a.seq == b.seq && a.at == b.at && a.event == b.event
            && a.omittedBytes == b.omittedBytes && a.source == b.source && a.error == b.error
            && a.dropped == b.dropped && a.receipt == b.receipt
    }
}
