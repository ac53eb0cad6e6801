internal import GameFlow
public import JSON
public import Sessions
public import Timers

/// Writes what happens to sessions as JSON, for one view at a time. The only place where that is done.
///
/// One for all peers of a daemon: what it wrote last is kept, so that a change that several peers see is written once
/// for each view. Belongs to the loop's thread.
public final class Encoder {
    /// The newest change or notice that was written, and its bytes for each view.
    private struct Written<Subject: AnyObject, Form> {
        var subject: Subject?
        var forms = [Form?](repeating: nil, count: View.allCases.count)

        func form(of subject: Subject, _ view: View) -> Form? {
            self.subject === subject ? forms[view.rawValue] : nil
        }

        mutating func keep(_ form: Form, of subject: Subject, _ view: View) {
            if self.subject !== subject {
                self.subject = subject
                for index in forms.indices { forms[index] = nil }
            }
            forms[view.rawValue] = form
        }
    }

    private var changes = Written<Change, [UInt8]>()
    private var notices = Written<Notice, EncodedNotice>()
    /// The members `atMs` and `time` of the last millisecond: events come in bursts, and a date takes longer to write
    /// than the rest of a change.
    private var time: (milliseconds: Int, members: [UInt8]) = (-1, [])

    public init() {}

    // MARK: changes

    /// A change, as an object.
    public func write(_ change: Change, _ view: View, to writer: inout JSONWriter) {
        writer.beginObject()
        members(of: change, view, to: &writer)
        writer.endObject()
    }

    /// A change's members, behind what the object begins with.
    func members(of change: Change, _ view: View, to writer: inout JSONWriter) {
        if let written = changes.form(of: change, view) { return writer.members(written) }
        compose(change, view, to: &writer)
    }

    /// The same for a notice: the bytes are kept, because several peers and the reply show them.
    func shared(_ change: Change, _ view: View, to writer: inout JSONWriter) {
        if changes.form(of: change, view) == nil {
            let members = JSONWriter.bytes { compose(change, view, to: &$0) }
            changes.keep(members, of: change, view)
        }
        write(change, view, to: &writer)
    }

    private func compose(_ change: Change, _ view: View, to writer: inout JSONWriter) {
        writer.name("session")
        writer.plain(change.session.text)
        writer.name("seq")
        writer.int(change.seq)
        writer.name("pos")
        writer.int(change.pos)
        writer.name("entry")
        writer.int(change.entry)
        writer.step(change.step, view)
        writer.effects(of: change.step, entry: change.entry)
        if let order = change.order { writer.order(order) }
        instant(change.at, to: &writer)
    }

    /// When something happened: two more members.
    func instant(_ instant: Instant, to writer: inout JSONWriter) {
        let milliseconds = Int(instant.milliseconds)
        if time.milliseconds != milliseconds {
            time = (milliseconds, JSONWriter.bytes { $0.time(instant) })
        }
        writer.members(time.members)
    }

    // MARK: notices

    /// A notice as a notification.
    public func notification(_ notice: Notice, _ view: View) -> EncodedNotice {
        if let written = notices.form(of: notice, view) { return written }
        let notification = compose(notice, view)
        notices.keep(notification, of: notice, view)
        return notification
    }
}

extension JSONWriter {
    /// Members that were written before, behind those that the object has already.
    mutating func members(_ written: [UInt8]) {
        separate()
        raw(written)
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

    /// What happened, by whom, from where to where: members of the object that is open.
    mutating func step(_ step: borrowing Step, _ view: View) {
        name("kind")
        plain(step.kind.rawValue)
        name("event")
        if let event = step.event { self.event(event) } else { null() }
        name("source")
        source(step.source, view)
        name("from")
        if let place = step.from { self.place(place) } else { null() }
        name("to")
        if let place = step.to { self.place(place) } else { null() }
    }

    /// An event, and how many bytes of its arguments are left out.
    mutating func event(_ event: Happening, omittedBytes: Int = 0) {
        beginObject()
        name("name")
        string(event.name)
        name("args")
        object(event.arguments)
        if omittedBytes > 0 {
            name("omittedBytes")
            int(omittedBytes)
        }
        endObject()
    }

    mutating func place(_ place: Place) {
        beginObject()
        name("state")
        string(place.state)
        name("data")
        object(place.data)
        endObject()
    }

    mutating func source(_ source: Source, _ view: View) {
        beginObject()
        name("kind")
        string(source.kind.name)
        if view == .full {
            if let peer = source.peer {
                name("peer")
                object(peer.members)
            }
            if let principal = source.principal {
                name("as")
                string(principal)
            }
        }
        endObject()
    }

    /// What the outside is asked to do: one more member. The number of the entry is a session's.
    mutating func effects(of step: borrowing Step, entry: Int? = nil) {
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
            if let entry {
                name("entry")
                int(entry)
            }
            endObject()
        }
        endArray()
    }

    mutating func order(_ order: Change.Order) {
        switch order {
        case .override(let reason):
            guard let reason else { return }
            name("reason")
            string(reason)
        case .timer(let operation):
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
}
