internal import GameFlow

/// An event that a session refused: who sent it, when, and why not.
public final class RefusedEvent: RingElement {
    /// How many changes the session had then: it came after the change of that number.
    public let seq: Int
    let session: SessionName
    let event: Happening
    let source: Source
    let error: RequestError
    let moment: Moment
    /// The number of the session's refusal before this one; 0 if there is none.
    let previous: Int
    let weight: Int

    init(
        _ event: Happening, _ source: Source, _ error: RequestError, of session: Session,
        at moment: Moment
    ) {
        (self.event, self.source, self.error, self.moment) = (event, source, error, moment)
        (self.session, seq, previous) = (session.name, session.seq, session.lastRefusal)
        weight = Self.weight(event, error)
    }

    /// What an error names besides, an unknown event or argument, came with the event: twice is enough.
    private static func weight(_ event: Happening, _ error: RequestError) -> Int {
        let own = 512 + 2 * event.json.count
        guard case .noTransition(_, _, _, let last?) = error else { return own }
        return own + (last.event?.json.count ?? 0)
    }
}
