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

    // Unchecked: no access to these is held while other code runs, and a check takes longer than what it guards.
    @exclusivity(unchecked) private var changes = Written<Change, [UInt8]>()
    @exclusivity(unchecked) private var notices = Written<Notification, EncodedNotification>()
    /// The members `atMs` and `time` of the last millisecond: events come in bursts, and a date takes longer to write
    /// than the rest of a change.
    @exclusivity(unchecked) private var time: (milliseconds: Int, members: [UInt8]) = (-1, [])
    @exclusivity(unchecked) private var sources = FragmentCache<Source>(slots: 64)
    @exclusivity(unchecked) private var places = FragmentCache<StateRecord>(slots: 64)
    @exclusivity(unchecked) private var events = FragmentCache<EventRecord>(slots: 64)

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
        step(change.step, view, to: &writer)
        effects(change.step.effects, entry: change.entry, to: &writer)
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

    // MARK: parts of a change

    /// What happened, by whom, from where to where: members of the object that is open.
    func step(_ step: borrowing Step, _ view: View, to writer: inout JSONWriter) {
        writer.name("kind")
        writer.plain(step.kind.rawValue)
        writer.name("event")
        if let event = step.event { self.event(event, to: &writer) } else { writer.null() }
        writer.name("source")
        source(step.source, view, to: &writer)
        writer.name("from")
        if let place = step.from { self.place(place, to: &writer) } else { writer.null() }
        writer.name("to")
        if let place = step.to { self.place(place, to: &writer) } else { writer.null() }
    }

    /// What the outside is asked to do: one more member. The number of the entry is a session's.
    func effects(_ effects: [EffectRecord], entry: Int? = nil, to writer: inout JSONWriter) {
        writer.name("effects")
        writer.beginArray()
        for effect in effects {
            writer.beginObject()
            writer.name("name")
            writer.string(effect.name)
            if !effect.arguments.isEmpty {
                writer.name("args")
                writer.object(effect.arguments)
            }
            if let entry {
                writer.name("entry")
                writer.int(entry)
            }
            writer.endObject()
        }
        writer.endArray()
    }

    private func event(_ event: EventRecord, to writer: inout JSONWriter) {
        // A flow has one object for each event without arguments; with arguments, each event is another object.
        guard event.arguments.isEmpty else { return writer.event(event) }
        events.write(event, to: &writer) { $0.event(event) }
    }

    private func place(_ place: StateRecord, to writer: inout JSONWriter) {
        // The same holds for states without data.
        guard place.data.isEmpty else { return writer.place(place) }
        places.write(place, to: &writer) { $0.place(place) }
    }

    func source(_ source: Source, _ view: View, to writer: inout JSONWriter) {
        switch view {
        case .full: sources.write(source, to: &writer) { $0.source(source, .full) }
        case .limited: writer.source(source, .limited)
        }
    }

    // MARK: notices

    /// A notice as a notification.
    public func notification(_ notice: Notification, _ view: View) -> EncodedNotification {
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

    /// An event, and how many bytes of its arguments are left out.
    mutating func event(_ event: EventRecord, omittedBytes: Int = 0) {
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

    mutating func place(_ place: StateRecord) {
        beginObject()
        name("state")
        string(place.state)
        name("data")
        object(place.data)
        endObject()
    }

    /// A source as `view` sees it: without the peer and the name in a limited one.
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
