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
        deed(change)
        moment(change.moment)
    }

    /// What was done, by whom, and what it asks for: members of the object they stand in.
    mutating func deed(_ change: Change) {
        step(change.step)
        effects(of: change.step)
        if let order = change.order { self.order(order) }
    }

    /// When it happened: two more members.
    mutating func moment(_ moment: Moment) {
        raw(",")
        raw(moment.json)
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
