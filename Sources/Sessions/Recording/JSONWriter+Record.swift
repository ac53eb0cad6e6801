internal import GameFlow
internal import JSON
internal import Timers

extension JSONWriter {
    /// A change and the session after it. Nanoseconds are written as text: a number of JSON's would not
    /// hold them.
    mutating func record(_ change: Change, of session: Session, id: String?) {
        beginObject()
        name("flow")
        string(session.flow.name)
        name("openedNs")
        nanoseconds(session.openedAt.nanoseconds)
        name("pos")
        int(change.pos)
        deed(change)
        if let id {
            name("id")
            string(id)
        }
        if change.kind != .close { after(session.machine.snapshot) }
        endObject()
    }

    private mutating func after(_ snapshot: MachineSnapshot) {
        name("timers")
        beginArray()
        for timer in snapshot.timers { self.timer(timer) }
        endArray()
        name("waiting")
        beginArray()
        for deferred in snapshot.waiting {
            beginObject()
            name("event")
            json(deferred.event.json)
            name("source")
            json(deferred.source.json)
            endObject()
        }
        endArray()
    }

    private mutating func timer(_ timer: TimerRecord) {
        beginObject()
        name("fires")
        string(timer.fires)
        name("totalNs")
        nanoseconds(timer.total.nanoseconds)
        switch timer.standing {
        case .running(let until):
            name("untilNs")
            nanoseconds(until.nanoseconds)
        case .paused(let remaining):
            name("leftNs")
            nanoseconds(remaining.nanoseconds)
        }
        name("order")
        int(Int(timer.order))
        endObject()
    }

    private mutating func nanoseconds(_ number: Int64) { string(String(number)) }
}
