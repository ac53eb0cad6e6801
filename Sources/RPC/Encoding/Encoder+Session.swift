internal import GameFlow
public import JSONCoding
public import Sessions
internal import Timers

/// The present state of sessions.
extension Encoder {
    /// A session: its state, its data, its timers, and what it accepts.
    public func write(_ session: SessionStatus, _ view: View, to writer: inout JSONWriter) {
        writer.beginObject()
        members(of: session, view, to: &writer)
        writer.endObject()
    }

    func members(of session: SessionStatus, _ view: View, to writer: inout JSONWriter) {
        writer.name("session")
        writer.string(session.name.text)
        writer.name("flow")
        writer.string(session.flow.name)
        writer.name("state")
        writer.string(session.place.state)
        writer.name("data")
        writer.object(session.place.data)
        writer.name("final")
        writer.bool(session.isFinal)
        writer.name("seq")
        writer.int(session.seq)
        writer.name("entry")
        writer.int(session.entry)
        writer.name("openedMs")
        writer.int(Int(session.openedAt.milliseconds))
        writer.name("version")
        writer.int(session.flow.version)
        writer.timers(session.timers)
        writer.name("deferred")
        writer.int(session.deferred)
        writer.name("accepts")
        writer.strings(session.accepts)
        if let storage = session.storage {
            writer.name("storage")
            writer.string(storage)
        }
    }

    /// A session in a list: name and state.
    func line(_ session: SessionStatus.Line, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("session")
        writer.string(session.name.text)
        writer.name("flow")
        writer.string(session.flow)
        writer.name("state")
        writer.string(session.state)
        writer.name("seq")
        writer.int(session.seq)
        writer.endObject()
    }

    /// The sessions at the start of a subscription, as members of the open object.
    public func members(
        of page: SessionPage, _ view: (SessionName) -> View, to writer: inout JSONWriter
    ) {
        writer.name("sessions")
        writer.beginArray()
        for session in page.sessions { write(session, view(session.name), to: &writer) }
        writer.endArray()
        writer.name("more")
        writer.bool(page.more)
    }
}

extension JSONWriter {
    mutating func timers(_ timers: [LiveTimer]) {
        name("timers")
        beginArray()
        for timer in timers {
            beginObject()
            name("fires")
            string(timer.fires)
            name("kind")
            plain(timer.info.isPendulum ? "pendulum" : "countdown")
            name("remainingMs")
            int(Int(timer.info.remaining.milliseconds))
            name("totalMs")
            int(Int(timer.info.total.milliseconds))
            name("paused")
            bool(timer.info.isPaused)
            endObject()
        }
        endArray()
    }
}
