internal import GameFlow
public import JSON
internal import Timers

extension JSONWriter {
    /// A session as it is: its state, its data, its timers, and what it takes.
    public mutating func session(_ session: Session) {
        beginObject()
        members(of: session)
        endObject()
    }

    mutating func members(of session: Session) {
        let machine = session.machine
        name("session")
        string(session.name.text)
        name("flow")
        string(session.flow.name)
        name("state")
        string(machine.place.state)
        name("data")
        object(machine.place.data)
        name("final")
        bool(machine.isFinal)
        name("seq")
        int(session.seq)
        name("openedMs")
        int(Int(session.openedAt.milliseconds))
        timers(of: session)
        name("deferred")
        int(machine.deferredCount)
        name("accepts")
        strings(machine.accepts)
        if let outage = session.sessions.outage {
            name("storage")
            string(outage)
        }
    }

    mutating func timers(of session: Session) {
        name("timers")
        beginArray()
        for timer in session.machine.liveTimers { self.timer(timer.fires, timer.facts) }
        endArray()
    }

    private mutating func timer(_ fires: String, _ facts: TimerFacts) {
        beginObject()
        name("fires")
        string(fires)
        name("kind")
        string(facts.isPendulum ? "pendulum" : "countdown")
        name("remainingMs")
        int(Int(facts.remaining.milliseconds))
        name("totalMs")
        int(Int(facts.total.milliseconds))
        name("paused")
        bool(facts.isPaused)
        endObject()
    }

    /// A session in a list: what it is called and where it stands.
    public mutating func line(_ session: Session) {
        beginObject()
        name("session")
        string(session.name.text)
        name("flow")
        string(session.flow.name)
        name("state")
        string(session.machine.place.state)
        name("seq")
        int(session.seq)
        endObject()
    }
}
