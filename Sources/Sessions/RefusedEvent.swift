public import GameFlow
public import Timers

/// An event that a session refused: who sent it, when, and why not.
public final class RefusedEvent {
    /// How many changes the session had then: it came after the change of that number.
    public let seq: Int
    public let session: SessionName
    public let event: EventRecord
    /// How many bytes of the event's arguments the journal left out; 0 of an event that is whole.
    public let omittedBytes: Int
    public let source: Source
    public let why: Why
    public let at: Instant
    /// Counts the daemon's refusals from 1.
    let number: Int
    /// The number of the session's refusal before this one; 0 if there is none.
    let previous: Int
    let weight: Int
    /// How many refusals before it were left out of the journal.
    public let dropped: Int
    /// The newest row of its session when it was refused; its own where refusals are written down.
    var mark = 0

    /// The error that was answered.
    public enum Why {
        case error(RequestError)
        /// As the journal has it: by its number, its name and its data.
        case recorded(code: Int, name: String, data: [Member])
    }

    /// One that was read from the journal; nil of any other record.
    init?(_ row: SessionRecord, number: Int) {
        guard case .refusal(let refusal) = row.body, let session = row.session else { return nil }
        (event, omittedBytes) = (refusal.event, refusal.omittedBytes)
        source = refusal.source.source
        why = .recorded(code: refusal.code, name: refusal.error, data: refusal.data)
        (self.session, seq, at, self.number) = (session, row.seq, row.at, number)
        (previous, dropped) = (0, refusal.dropped)
        weight = 512 + refusal.event.weight + refusal.data.weight
    }

    init(
        _ event: EventRecord, _ source: Source, _ error: RequestError, of session: Session,
        after seq: Int, number: Int, at instant: Instant
    ) {
        (self.event, omittedBytes) = (event, 0)
        (self.number, dropped) = (number, 0)
        (self.source, why, at) = (source, .error(error), instant)
        (self.session, self.seq, previous) = (session.name, seq, session.lastRefusal)
        weight = Self.weight(event, error)
    }

    /// What an error names besides, an unknown event or argument, came with the event: twice is enough.
    private static func weight(_ event: EventRecord, _ error: RequestError) -> Int {
        let own = 512 + 2 * event.weight
        guard case .noTransition(_, _, _, let last?) = error else { return own }
        return own + last.weight
    }
}

extension RefusedEvent: RingElement {}
