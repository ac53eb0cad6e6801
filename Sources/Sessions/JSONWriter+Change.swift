internal import GameFlow
internal import JSON
internal import Timers

extension JSONWriter {
    /// What was done, by whom, and what it asks for: members of the object they stand in.
    mutating func deed(_ change: Change) {
        step(change.step)
        effects(of: change.step)
        if let order = change.order { self.order(order) }
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
