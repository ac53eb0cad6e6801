public import JSON

extension JSONWriter {
    /// What happened, by whom, from where to where: members of the object they stand in.
    public mutating func step(_ step: Step) {
        name("kind")
        plain(step.kind.rawValue)
        name("event")
        if let event = step.event { happening(event) } else { null() }
        name("source")
        json(step.source.json)
        name("from")
        if let place = step.from { self.place(place) } else { null() }
        name("to")
        if let place = step.to { self.place(place) } else { null() }
    }

    /// `{"state":…,"data":{…}}`
    public mutating func place(_ place: Place) {
        beginObject()
        name("state")
        string(place.state)
        name("data")
        object(place.data)
        endObject()
    }

    /// `{"name":…,"args":{…}}`
    public mutating func happening(_ event: Happening) {
        beginObject()
        name("name")
        string(event.name)
        name("args")
        object(event.arguments)
        endObject()
    }

    /// What the outside is asked to do: one more member.
    public mutating func effects(of step: Step) {
        name("effects")
        beginArray()
        for effect in step.effects {
            beginObject()
            name("name")
            string(effect.name)
            if !effect.arguments.isEmpty {
                name("args")
                object(effect.arguments)
            }
            endObject()
        }
        endArray()
    }
}
