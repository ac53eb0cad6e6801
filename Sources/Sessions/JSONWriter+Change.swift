internal import GameFlow
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
        plain(change.session.text)
        name("seq")
        int(change.seq)
        name("pos")
        int(change.pos)
        step(change.step)
        effects(change.step)
        if let reason = change.reason {
            name("reason")
            string(reason)
        }
        if let timer = change.timer { operation(timer) }
        raw(",")
        raw(change.moment.json)
    }

    /// What a change has in common with a beat.
    mutating func step(_ step: Step) {
        name("kind")
        plain(step.kind.rawValue)
        name("event")
        if let event = step.event { json(event.json) } else { null() }
        name("source")
        json(step.source.json)
        name("from")
        place(step.from)
        name("to")
        place(step.to)
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

    private mutating func place(_ place: Place?) {
        if let place { json(place.json) } else { null() }
    }

    private mutating func effects(_ step: Step) {
        name("effects")
        beginArray()
        for effect in step.effects { self.effect(effect) }
        endArray()
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
