internal import GameFlow

/// An event that a session refused: who sent it, when, and why not.
public final class RefusedEvent: RingElement {
    /// How many changes the session had then: it came after the change of that number.
    public let seq: Int
    let session: SessionName
    /// The event as JSON: its values would take many times the room.
    let eventJSON: [UInt8]
    let source: Source
    let error: RequestError
    let moment: Moment
    /// Counts the daemon's refusals from 1.
    let number: Int
    /// The number of the session's refusal before this one; 0 if there is none.
    let previous: Int
    let weight: Int

    init(
        _ event: Happening, _ source: Source, _ error: RequestError, of session: Session,
        number: Int, at moment: Moment
    ) {
        self.number = number
        eventJSON = event.json
        (self.source, self.error, self.moment) = (source, error, moment)
        (self.session, seq, previous) = (session.name, session.seq, session.lastRefusal)
        weight = Self.weight(event, error)
    }

    /// What an error names besides, an unknown event or argument, came with the event: twice is enough.
    private static func weight(_ event: Happening, _ error: RequestError) -> Int {
        let own = 512 + 2 * event.json.count
        guard case .noTransition(_, _, _, let last?) = error else { return own }
        return own + last.json.count
    }
}
