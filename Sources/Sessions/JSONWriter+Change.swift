public import GameFlow
public import JSON
public import Timers

extension JSONWriter {
    /// A change, whole.
    public mutating func change(_ change: Change) {
        beginObject()
        members(of: change)
        endObject()
    }

    /// A change's members, for an object that begins with another.
    public mutating func members(of change: Change) {
        name("session")
        string(change.session.text)
        name("seq")
        int(change.seq)
        name("pos")
        int(change.pos)
        facts(of: change)
        name("effects")
        beginArray()
        for effect in change.effects { self.effect(effect) }
        endArray()
        if let reason = change.reason {
            name("reason")
            string(reason)
        }
        if let timer = change.timer { operation(timer) }
        time(change.at)
    }

    /// What a change has in common with a beat.
    mutating func facts(of change: Change) {
        name("kind")
        string(change.kind.rawValue)
        name("event")
        if let event = change.event { happening(event) } else { null() }
        name("source")
        source(change.source)
        name("from")
        place(change.from)
        name("to")
        place(change.to)
    }

    /// An instant, in both its forms.
    public mutating func time(_ instant: Instant) {
        name("atMs")
        int(Int(instant.milliseconds))
        name("time")
        raw("\"")
        Timestamp.write(instant, to: &self)
        raw("\"")
    }

    mutating func happening(_ event: Happening) {
        beginObject()
        name("name")
        string(event.name)
        name("args")
        object(event.arguments)
        endObject()
    }

    /// Where an event came from.
    public mutating func source(_ source: Source) { json(source.json) }

    private mutating func place(_ place: Place?) {
        guard let place else { return null() }
        beginObject()
        name("state")
        string(place.state)
        name("data")
        object(place.data)
        endObject()
    }

    private mutating func effect(_ effect: RequestedEffect) {
        beginObject()
        name("name")
        string(effect.name)
        if !effect.arguments.isEmpty {
            name("args")
            object(effect.arguments)
        }
        endObject()
    }

    private mutating func operation(_ operation: TimerOperation) {
        name("timer")
        beginObject()
        name("fires")
        string(operation.fires)
        name("action")
        string(operation.action.rawValue)
        if let by = operation.by {
            name("byMs")
            int(Int(by.milliseconds))
        }
        endObject()
    }
}
