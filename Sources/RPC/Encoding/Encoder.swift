internal import GameFlow
public import JSONCoding
public import Sessions
internal import Support
public import Timers

/// Encodes changes, notifications and sessions as JSON for a given view. All JSON about sessions is
/// written here.
///
/// All callers of a daemon share one encoder. The encoder caches its newest output, so that a change for several callers is
/// encoded once for each view. Use it on the loop's thread only.
///
/// The comment of a function whose name is a noun, or `write`, says what JSON the function writes. `JSONWriter.plain` writes a
/// text that needs no escapes.
public final class Encoder {
    /// The change or notification that was encoded most recently, and its encoding for each view.
    private struct LatestEncoding<Subject: AnyObject, Encoding> {
        var subject: Subject?
        var encodings = [Encoding?](repeating: nil, count: SessionView.allCases.count)

        /// The encoding for the view; nil if `subject` is not the latest one, or was not encoded for the view.
        func encoding(of subject: Subject, _ view: SessionView) -> Encoding? {
            self.subject === subject ? encodings[view.rawValue] : nil
        }

        /// Stores an encoding. Removes the encodings of another subject.
        mutating func store(_ encoding: Encoding, of subject: Subject, _ view: SessionView) {
            if self.subject !== subject {
                self.subject = subject
                for index in encodings.indices { encodings[index] = nil }
            }
            encodings[view.rawValue] = encoding
        }
    }

    // The properties below are caches. Their accesses cannot overlap, because no other code runs during an access. The check
    // for overlaps is off, because the check takes longer than the access.
    @exclusivity(unchecked) private var changes = LatestEncoding<Change, [UInt8]>()
    @exclusivity(unchecked) private var notifications =
        LatestEncoding<Notification, EncodedNotification>()
    /// The members `atMs` and `time` of the millisecond that was encoded most recently; −1 before the first. Events come in
    /// bursts, and formatting the time takes longer than encoding the rest of a change.
    @exclusivity(unchecked) private var time: (milliseconds: Int, members: [UInt8]) = (-1, [])
    /// The encodings of steps, and of single objects that many changes refer to. If there are more of them than the slots can
    /// hold, some are encoded again.
    @exclusivity(unchecked) private var steps = StepFragments()
    @exclusivity(unchecked) private var sources = FragmentCache<Source>()
    @exclusivity(unchecked) private var states = FragmentCache<StateRecord>()
    @exclusivity(unchecked) private var events = FragmentCache<EventRecord>()
    /// The settings of flows.
    @exclusivity(unchecked) private var settings = FragmentCache<AnyFlow>()

    /// The dates of instants.
    private let clockCorrections: ClockCorrections

    /// `clockCorrections` are those of the sessions whose changes are encoded.
    public init(_ clockCorrections: ClockCorrections = ClockCorrections()) {
        self.clockCorrections = clockCorrections
    }

    // MARK: changes

    /// A change as an object.
    public func write(_ change: Change, _ view: SessionView, to writer: inout JSONWriter) {
        writer.beginObject()
        members(of: change, view, to: &writer)
        writer.endObject()
    }

    /// The members of a change, added to the open object.
    func members(of change: Change, _ view: SessionView, to writer: inout JSONWriter) {
        if let encoded = changes.encoding(of: change, view) { return writer.members(encoded) }
        compose(change, view, to: &writer)
    }

    /// Writes a change as an object, as part of a notification. Its encoded members are cached, because the notifications
    /// of other callers and the reply show the same change.
    func writeAndCache(_ change: Change, _ view: SessionView, to writer: inout JSONWriter) {
        if changes.encoding(of: change, view) == nil {
            let members = JSONWriter.bytes { compose(change, view, to: &$0) }
            changes.store(members, of: change, view)
        }
        write(change, view, to: &writer)
    }

    /// The members of a change. Unlike `members(of:_:to:)`, does not look for the change in the cache.
    private func compose(_ change: Change, _ view: SessionView, to writer: inout JSONWriter) {
        writer.name("session")
        writer.plain(change.session.text)
        writer.name("seq")
        writer.int(change.seq)
        writer.name("pos")
        writer.int(change.pos)
        writer.name("entry")
        writer.int(change.entry)
        let hidden = view.namesToHide(change.view?.hidden)
        step(change.step, view, hidden, entry: change.entry, to: &writer)
        if let details = change.details { writer.details(details.value, view, hidden) }
        if let message = change.message { writer.message(message) }
        if let screen = change.view?.newScreen(after: change.step) {
            writer.name("show")
            writer.object(screen.members)
            writer.failures(of: screen, view)
        }
        instant(change.at, to: &writer)
    }

    /// The two members for the time of a change.
    func instant(_ instant: Instant, to writer: inout JSONWriter) {
        let milliseconds = Int(instant.milliseconds)
        if time.milliseconds != milliseconds {
            let date = clockCorrections.date(of: instant)
            time = (milliseconds, JSONWriter.bytes { $0.time(instant, date: date) })
        }
        writer.members(time.members)
    }

    // MARK: parts of a change

    /// The event, its source, the states before and after, and the effects, as members of the open object. The names in `hidden`
    /// are left out. `entry` is the number of the session's entry, which each effect shows; if it is nil, the effects are left
    /// out.
    func step(
        _ step: borrowing Step, _ view: SessionView, _ hidden: HiddenNames? = nil,
        entry: Int? = nil, to writer: inout JSONWriter
    ) {
        // The cache is not used if names are hidden, because its key does not contain the hidden names.
        guard hidden == nil else {
            compose(step, view, hidden, to: &writer)
            return effects(of: step, view, entry, to: &writer)
        }
        let identity = StepIdentity(step)
        switch steps.write(step, identity, view, entry: entry, to: &writer) {
        case .everything: return
        case .withoutEffects: break
        case .nothing:
            let bytes = JSONWriter.bytes { compose(step, view, nil, to: &$0) }
            steps.store(bytes, of: step, identity, view)
            writer.members(bytes)
        }
        effects(of: step, view, entry, to: &writer)
    }

    /// The effects of a step, as a member of the open object; nothing if `entry` is nil.
    private func effects(
        of step: borrowing Step, _ view: SessionView, _ entry: Int?, to writer: inout JSONWriter
    ) {
        guard let entry else { return }
        writer.effects(step.effects) { effect, writer in
            if view == .full, !effect.unshown.isEmpty {
                writer.name("unshown")
                writer.strings(effect.unshown)
            }
            writer.name("entry")
            writer.int(entry)
        }
    }

    /// The members of a step. Unlike `step(_:_:_:entry:to:)`, leaves out the effects, and does not look for
    /// the step in the cache.
    private func compose(
        _ step: borrowing Step, _ view: SessionView, _ hidden: HiddenNames?,
        to writer: inout JSONWriter
    ) {
        writer.name("kind")
        writer.plain(step.kind.name)
        writer.name("event")
        if let event = step.event.flatMap({ hidden.shown($0) }) {
            writeEvent(event, to: &writer)
        } else {
            writer.null()
        }
        writer.name("source")
        source(step.source, view, to: &writer)
        writer.name("from")
        state(step.from, hidden, to: &writer)
        writer.name("to")
        state(step.to, hidden, to: &writer)
    }

    /// The state without the data in `hidden`; null if `state` is nil.
    private func state(
        _ state: StateRecord?, _ hidden: HiddenNames?, to writer: inout JSONWriter
    ) {
        guard let state else { return writer.null() }
        writeState(hidden.shown(state), to: &writer)
    }

    private func writeEvent(_ event: EventRecord, to writer: inout JSONWriter) {
        // A flow has one shared object for each event without arguments; each event with arguments
        // is a separate object.
        guard event.arguments.isEmpty else { return writer.event(event) }
        events.write(event, to: &writer) { $0.event(event) }
    }

    private func writeState(_ state: StateRecord, to writer: inout JSONWriter) {
        // A flow has one shared object for each state without data; each state with data is a separate object.
        guard state.data.isEmpty else { return writer.state(state) }
        states.write(state, to: &writer) { $0.state(state) }
    }

    /// The settings of a flow, as an object.
    func writeSettings(of flow: AnyFlow, to writer: inout JSONWriter) {
        settings.write(flow, to: &writer) { writer in
            writer.object(flow.settings.map { Member($0.name, $0.value) })
        }
    }

    /// The sender of an event. The limited view omits its identity.
    func source(_ source: Source, _ view: SessionView, to writer: inout JSONWriter) {
        switch view {
        case .full: sources.write(source, to: &writer) { $0.source(source, .full) }
        case .limited: writer.source(source, .limited)
        }
    }

    // MARK: notifications

    /// Encodes a notification in the view, once for all watchers with that view.
    public func encode(_ notification: Notification, _ view: SessionView) -> EncodedNotification {
        if let encoded = notifications.encoding(of: notification, view) { return encoded }
        let encoded = compose(notification, view)
        notifications.store(encoded, of: notification, view)
        return encoded
    }
}

extension JSONWriter {
    /// Adds already encoded members to the open object.
    mutating func members(_ encoded: [UInt8]) {
        separate()
        raw(encoded)
    }

    /// An instant as two members: `atMs` and `time`. `date` is what the wall clock showed then, if it differs.
    public mutating func time(_ instant: Instant, date: Instant? = nil) {
        name("atMs")
        int(Int(instant.milliseconds))
        name("time")
        raw("\"")
        Timestamp.write(date ?? instant, to: &self)
        raw("\"")
    }

    /// An event; `omittedBytes` is the size of the arguments that are left out.
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

    /// A state and its data.
    mutating func state(_ state: StateRecord) {
        beginObject()
        name("state")
        string(state.state)
        name("data")
        object(state.data)
        endObject()
    }

    /// The effects, as a member of the open object. `addMembers` adds members to the object of an effect.
    mutating func effects(
        _ effects: [EffectRecord],
        _ addMembers: (EffectRecord, inout JSONWriter) -> Void
    ) {
        name("effects")
        beginArray()
        for effect in effects {
            beginObject()
            name("name")
            string(effect.name)
            if !effect.arguments.isEmpty {
                name("args")
                object(effect.arguments)
            }
            addMembers(effect, &self)
            endObject()
        }
        endArray()
    }

    /// A source for a view; the limited view omits the peer and the principal.
    mutating func source(_ source: Source, _ view: SessionView) {
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

    /// The message that a change shows, or null if it ended the present message, as a member of the open object.
    mutating func message(_ update: Change.MessageUpdate) {
        name("message")
        switch update {
        case .shown(let message): self.message(message)
        case .ended: null()
        }
    }

    /// A message to a session's screens, as an object.
    mutating func message(_ message: ScreenMessage) {
        beginObject()
        name("text")
        string(message.text)
        name("seq")
        int(message.seq)
        if let until = message.until {
            name("untilMs")
            int(Int(until.milliseconds))
        }
        endObject()
    }

    /// Adds the members that only some kinds of changes have, as far as the view shows them.
    mutating func details(_ details: any ChangeDetails, _ view: SessionView, _ hidden: HiddenNames?)
    {
        let visible: (any ChangeDetails)? =
            view == .full ? details : details.visible(hiding: hidden)
        for member in visible?.members ?? [] {
            key(member.name)
            value(member.value)
        }
    }
}

/// The part of a session's information that a caller may see.
public enum SessionView: Int, CaseIterable, Sendable {
    /// Everything: for callers that may operate the session.
    case full
    /// For callers that may only play or observe. This view leaves out the settings, the labels that begin with `_`, the names
    /// that the flow hides, and the addresses and names of other callers.
    case limited

    /// Returns `hidden`, the names that a flow hides, if this view leaves them out; otherwise nil.
    func namesToHide(_ hidden: HiddenNames?) -> HiddenNames? { self == .full ? nil : hidden }

    /// Whether a label is shown.
    func shows(label name: String) -> Bool { self == .full || !NoteLimits.isPrivateLabel(name) }
}

extension Rights {
    /// The view of a session for a caller with these rights.
    public func view(_ session: SessionName) -> SessionView {
        allowsEverything || has(.operate, in: session) ? .full : .limited
    }
}

extension SessionView {
    /// The error in this view, for the caller whose request was refused. The limited view omits hidden events that are accepted
    /// or suggested, the identity of the sender of the newest change `last`, and what is wrong with a hidden argument or with the
    /// arguments of a hidden event: a caller could otherwise find out the names of hidden events and arguments.
    func error(_ error: RequestError, _ hidden: HiddenNames?) -> RequestError {
        guard self == .limited else { return error }
        switch error {
        case .noTransition(let event, let state, let accepts, let last):
            return noTransition(event, state, accepts, last, hidden)
        case .unknownEvent(let event, let similarNames):
            return .unknownEvent(event, didYouMean: hidden.shown(similarNames))
        case .invalid(.event(let event), let argument, _, _)
        where hidden?.hidesEvent(event) == true
            || hidden?.hidesArgument(argument, of: event) == true:
            return .invalid(
                .event(event), argument: "", why: "the arguments do not fit", isOfFlow: true)
        default: return error
        }
    }

    /// The error `noTransition` in the limited view.
    private func noTransition(
        _ event: String, _ state: String, _ accepts: [String], _ last: LastChange?,
        _ hidden: HiddenNames?
    ) -> RequestError {
        let visibleLast = last.map { last in
            LastChange(
                last, event: last.event.flatMap { hidden.shown($0) }, from: Source(last.source.kind)
            )
        }
        return .noTransition(
            event: event, state: state, accepts: hidden.shown(accepts), last: visibleLast)
    }

    /// The data, in this view, of the error with which an event was refused, for all watchers. The limited view omits what
    /// `error(_:_:)` omits. If the event is hidden, its name is null, and what is wrong with its arguments is left out.
    func errorData(_ data: [Member], _ hidden: HiddenNames?, isEventHidden: Bool = false)
        -> [Member]
    {
        guard self == .limited else { return data }
        func isHidden(_ event: Value?) -> Bool {
            event?.text.map { hidden?.hidesEvent($0) == true } ?? false
        }
        let event = data["event"]?.text ?? ""
        let isMistakeHidden =
            isEventHidden
            || data["argument"]?.text.map { hidden?.hidesArgument($0, of: event) == true } == true
        return data.compactMap { member in
            switch (member.name, member.value) {
            case ("event", _) where isEventHidden: return Member("event", .null)
            case ("argument", _) where isMistakeHidden, ("why", _) where isMistakeHidden:
                return nil
            case ("accepts", .array(let events)), ("didYouMean", .array(let events)):
                return Member(member.name, .array(events.filter { !isHidden($0) }))
            case ("last", .object(let last)):
                let visible =
                    isHidden(last["event"])
                    ? last.map(Self.withoutEvent)
                    : last.map { Self.visible($0, of: last["event"]?.text ?? "", hidden) }
                return Member("last", .object(visible.map(Self.withoutPeer)))
            default: return member
            }
        }
    }

    /// Returns a member of the object `last` in an error. The members `event` and `args` are returned without their content.
    private static func withoutEvent(_ member: Member) -> Member {
        switch member.name {
        case "event": Member("event", .null)
        case "args": Member("args", .object([]))
        default: member
        }
    }

    /// Returns a member of the object `last` in an error. Of the member `args` of the event, what is hidden is left out.
    private static func visible(_ member: Member, of event: String, _ hidden: HiddenNames?)
        -> Member
    {
        guard member.name == "args", case .object(let arguments) = member.value else {
            return member
        }
        return Member("args", .object(hidden.shown(arguments, of: event)))
    }

    /// Returns a member of the object `last` in an error. Of the member `source`, only the kind is returned.
    private static func withoutPeer(_ member: Member) -> Member {
        guard member.name == "source", case .object(let source) = member.value else {
            return member
        }
        return Member("source", .object(source.filter { $0.name == "kind" }))
    }
}
