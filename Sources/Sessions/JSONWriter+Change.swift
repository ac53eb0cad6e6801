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
        name("effects")
        beginArray()
        if let effect = change.step.effect { self.effect(effect) }
        endArray()
        if let order = change.order { self.order(order) }
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
        if let place = step.from { json(place.json) } else { null() }
        name("to")
        if let place = step.to { json(place.json) } else { null() }
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

    private mutating func order(_ order: Change.Order) {
        switch order {
        case .override(let reason):
            guard let reason else { return }
            name("reason")
            string(reason)
        case .timer(let operation):
            name("timer")
            self.operation(operation)
        }
    }

    private mutating func operation(_ operation: TimerOperation) {
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
