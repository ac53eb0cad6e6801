public import GameFlow
public import Timers

/// An event that a session refused: who sent it, when, and why not.
public final class RefusedEvent {
    /// How many changes the session had then: it came after the change of that number.
    public let seq: Int
    public let session: SessionName
    /// The event as JSON: its values would take many times the room.
    public let eventJSON: [UInt8]
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

    /// The error that was answered, or its JSON where it was read from the journal.
    public enum Why {
        case error(RequestError)
        case written([UInt8])
    }

    /// One that was written down.
    init(
        written event: [UInt8], _ source: Source, _ why: [UInt8], of session: SessionName, seq: Int,
        number: Int, at instant: Instant, dropped: Int
    ) {
        self.dropped = dropped
        (eventJSON, self.source, self.why) = (event, source, .written(why))
        (self.session, self.seq, self.number, at) = (session, seq, number, instant)
        (previous, weight) = (0, event.count + why.count)
    }

    init(
        _ event: Happening, _ source: Source, _ error: RequestError, of session: Session,
        number: Int, at instant: Instant
    ) {
        (self.number, dropped) = (number, 0)
        eventJSON = event.json
        (self.source, why, at) = (source, .error(error), instant)
        (self.session, seq, previous) = (session.name, session.seq, session.lastRefusal)
        weight = Self.weight(event, error)
    }

    /// What an error names besides, an unknown event or argument, came with the event: twice is enough.
    private static func weight(_ event: Happening, _ error: RequestError) -> Int {
        let own = 512 + 2 * event.json.count
        guard case .noTransition(_, _, _, let last?) = error else { return own }
        return own + last.weight
    }
}

extension RefusedEvent: RingElement {}
