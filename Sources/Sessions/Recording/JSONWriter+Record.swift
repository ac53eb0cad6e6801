internal import GameFlow
internal import JSON
internal import Timers

extension JSONWriter {
    /// A change and the session after it. Nanoseconds are written as text: a number of JSON's would not
    /// hold them. `follows` says that it was not asked for, but came of the change before it.
    mutating func record(
        _ change: Change, of session: Session, _ standing: Standing, id: String?, follows: Bool
    ) {
        beginObject()
        head(change, session, now: change.pos, follows: follows)
        if let id {
            name("id")
            string(id)
        }
        if change.step.missed > 0 {
            name("missed")
            int(change.step.missed)
        }
        tail(standing)
        endObject()
    }

    /// What a step did besides its changes, after the newest of them: `fired`, which countdown did; and the
    /// answer that a request with an id got.
    mutating func rest(
        after change: Change, of session: Session, _ standing: Standing, fired: String?,
        answer: (id: String, change: Change)?, follows: Bool, now pos: Int
    ) {
        beginObject()
        head(change, session, now: pos, follows: follows)
        name("rest")
        bool(true)
        if let fired {
            name("fired")
            string(fired)
        }
        if let (id, change) = answer {
            name("id")
            string(id)
            name("answer")
            beginObject()
            deed(change)
            endObject()
        }
        name("lastNs")
        nanoseconds(change.at.nanoseconds)
        name("lastPos")
        int(change.pos)
        tail(standing)
        endObject()
    }

    private mutating func head(
        _ change: Change, _ session: Session, now pos: Int, follows: Bool
    ) {
        name("flow")
        string(session.flow.name)
        name("openedNs")
        nanoseconds(session.openedAt.nanoseconds)
        name("pos")
        int(pos)
        name("entry")
        int(change.entry)
        deed(change)
        guard follows else { return }
        name("follows")
        bool(true)
    }

    private mutating func tail(_ standing: Standing) {
        if standing.ids > 0 {
            name("ids")
            int(standing.ids)
        }
        if let snapshot = standing.snapshot { after(snapshot) }
    }

    /// The end of a session that could not be taken up again.
    mutating func end(ofQuarantined why: String, from source: Source, now pos: Int) {
        beginObject()
        name("flow")
        string("")
        name("openedNs")
        nanoseconds(0)
        name("pos")
        int(pos)
        step(Step(.close, from: source, nil, nil))
        effects(of: Step(.close, from: source, nil, nil))
        name("reason")
        string(why)
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
        // Last, for it depends on what else was set meanwhile: `comparable` leaves it out.
        name("orders")
        beginArray()
        for timer in snapshot.timers { int(timer.isPaused ? 0 : Int(timer.order)) }
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
        endObject()
    }

    private mutating func nanoseconds(_ number: Int64) { string(String(number)) }
}
