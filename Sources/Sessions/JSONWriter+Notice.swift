internal import GameFlow
public import JSON
internal import Timers

extension JSONWriter {
    /// A beat: what a change says but its numbers, and the timers, so that a countdown can be shown
    /// without asking.
    mutating func beat(_ step: borrowing Step, of session: Session, at moment: Moment) {
        beginObject()
        name("session")
        string(session.name.text)
        self.step(step)
        name("missed")
        int(step.missed)
        timers(of: session)
        self.moment(moment)
        endObject()
    }

    /// An event that was refused, by whom it was sent, and why.
    mutating func refused(_ refused: RefusedEvent) {
        beginObject()
        name("session")
        string(refused.session.text)
        members(of: refused)
        endObject()
    }

    private mutating func members(of refused: RefusedEvent) {
        deed(refused)
        moment(refused.moment)
    }

    /// What was refused, whose it was, and why.
    mutating func deed(_ refused: RefusedEvent) {
        name("event")
        json(refused.eventJSON)
        name("source")
        json(refused.source.json)
        name("error")
        switch refused.why {
        case .error(let error): self.error(error)
        case .written(let text): json(text)
        }
    }

    /// A record of a session's history: a change, or an event that was refused after one.
    public mutating func record(_ record: Sessions.Record) {
        switch record {
        case .change(let change): self.change(change)
        case .refusal(let refused):
            beginObject()
            name("session")
            string(refused.session.text)
            name("seq")
            int(refused.seq)
            name("kind")
            plain("refused")
            members(of: refused)
            if refused.dropped > 0 {
                name("dropped")
                int(refused.dropped)
            }
            endObject()
        }
    }

    /// The present instead of what was missed: the session as it is.
    mutating func gap(since: Int, _ session: Session) {
        beginObject()
        members(of: session)
        name("since")
        int(since)
        endObject()
    }

    /// The same for who watches all sessions.
    mutating func gap(since: Int, pos: Int, _ page: [Session], more: Bool) {
        beginObject()
        name("session")
        string("*")
        name("since")
        int(since)
        name("pos")
        int(pos)
        sessions(page, more)
        endObject()
    }

    /// What a watcher is shown at once, as members of an object.
    public mutating func members(of watched: Sessions.Watched) {
        sessions(watched.sessions, watched.more)
    }

    private mutating func sessions(_ page: [Session], _ more: Bool) {
        name("sessions")
        beginArray()
        for session in page { self.session(session) }
        endArray()
        name("more")
        bool(more)
    }
}
