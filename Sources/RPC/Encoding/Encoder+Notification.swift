internal import GameFlow
public import JSONCoding
internal import Sessions

/// Notifications, and the history of a session. The comment of a function named `write` or `members` says what JSON it writes.
extension Encoder {
    /// Encodes a notification for one view. `encode(_:_:)` with a `SessionView` calls it and caches the result.
    func compose(_ notification: Notification, _ view: SessionView) -> EncodedNotification {
        switch notification.content {
        case .change(let change):
            EncodedNotification("change", of: notification) { writeAndCache(change, view, to: &$0) }
        case .beat(let beat, let timers):
            EncodedNotification("beat", of: notification) { write(beat, timers, view, to: &$0) }
        case .refused(let refusal):
            EncodedNotification("refused", of: notification) { write(refusal, view, to: &$0) }
        case .gap(let gap):
            EncodedNotification("gap", of: notification) { write(gap, { _ in view }, to: &$0) }
        case .input(let input):
            EncodedNotification("input", of: notification) { write(input, to: &$0) }
        case .stuck(let stuck):
            EncodedNotification("stuck", of: notification) { write(stuck, to: &$0) }
        }
    }

    /// A session that stays in its state longer than usual.
    private func write(_ stuck: StuckSession, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("session")
        writer.string(stuck.session.text)
        writer.name("entry")
        writer.int(stuck.entry)
        writer.name("state")
        writer.string(stuck.state)
        instant(stuck.at, to: &writer)
        writer.endObject()
    }

    /// An input from a device that no line of the configuration matches.
    private func write(_ input: UnmatchedInput, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("source")
        writer.string(input.source)
        writer.name("kind")
        writer.string(input.kind)
        writer.name("device")
        writer.string(input.device)
        writer.name("input")
        writer.string(input.text)
        instant(input.at, to: &writer)
        writer.endObject()
    }

    /// Encodes a notification. `view` returns the caller's view of a session. A gap is encoded separately for each caller: a
    /// gap of all sessions contains several sessions, and a caller may have a different view of each session.
    func encode(_ notification: Notification, _ view: (SessionName) -> SessionView)
        -> EncodedNotification
    {
        // A fast path, which does not copy the content: each watcher of a change needs its encoding.
        if let session = notification.viewedSession {
            return encode(notification, view(session))
        }
        guard case .gap(let gap) = notification.content else {
            return encode(notification, .full)
        }
        return EncodedNotification("gap", of: notification) { write(gap, view, to: &$0) }
    }

    /// A beat: the members of a change, except `seq` and `pos`, because a beat has no numbers. The number of periods that the
    /// pendulum missed and the timers follow. With the timers, a client can show a countdown without a request.
    private func write(
        _ beat: Change, _ timers: [LiveTimer], _ view: SessionView, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.name("session")
        writer.string(beat.session.text)
        writer.name("entry")
        writer.int(beat.entry)
        let hidden = view.namesToHide(beat.view?.hidden)
        step(beat.step, view, hidden, to: &writer)
        writer.name("missed")
        writer.int(beat.step.missed)
        writer.timers(timers, in: beat.step.to?.state ?? "", hidden)
        instant(beat.at, to: &writer)
        writer.endObject()
    }

    /// A refused event: the session, the event, its source and the error.
    private func write(_ refusal: RefusedEvent, _ view: SessionView, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("session")
        writer.string(refusal.session.text)
        members(of: refusal, view, to: &writer)
        writer.endObject()
    }

    /// The members that a `refused` notification and a refusal in the history have in common, added to the open object.
    private func members(of refusal: RefusedEvent, _ view: SessionView, to writer: inout JSONWriter)
    {
        let hidden = view.namesToHide(refusal.hidden)
        let event = hidden.shown(refusal.event)
        writer.name("event")
        if let event {
            writer.event(event, omittedBytes: refusal.omittedBytes)
        } else {
            writer.null()
        }
        writer.name("source")
        source(refusal.source, view, to: &writer)
        writer.name("error")
        let error = refusal.error
        let data = view.errorData(error.data, refusal.hidden, isEventHidden: event == nil)
        writer.object([
            Member("code", error.code), Member("message", error.name),
            Member("data", .object(data)),
        ])
        instant(refusal.at, to: &writer)
    }

    /// One record of a session's history: a change, or a refused event.
    func write(_ record: Sessions.Record, _ view: SessionView, to writer: inout JSONWriter) {
        switch record {
        case .change(let change): write(change, view, to: &writer)
        case .refusal(let refusal):
            writer.beginObject()
            writer.name("session")
            writer.string(refusal.session.text)
            writer.name("seq")
            writer.int(refusal.seq)
            writer.name("kind")
            writer.plain("refused")
            members(of: refusal, view, to: &writer)
            // The number of refusals that were left out of the journal, because there were too many. The left-out refusals came
            // between the previous recorded refusal and this refusal.
            if refusal.dropped > 0 {
                writer.name("dropped")
                writer.int(refusal.dropped)
            }
            writer.endObject()
        }
    }

    /// A gap: the present state of one session or of all sessions. The gap takes the place of the changes after `since` that
    /// are no longer remembered.
    private func write(
        _ gap: Gap, _ view: (SessionName) -> SessionView, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        switch gap.present {
        case .session(let session):
            members(of: session, view(session.name), to: &writer)
            writer.name("since")
            writer.int(gap.since)
        case .all(let page):
            writer.name("session")
            writer.string("*")
            writer.name("since")
            writer.int(gap.since)
            writer.name("pos")
            writer.int(gap.pos)
            writer.name("cursor")
            writer.string(Cursor(gap.pos).text)
            members(of: page, view, to: &writer)
        }
        writer.endObject()
    }
}

/// An encoded notification: one line of JSON-RPC. All callers with the same view share the encoding, except that a gap is
/// encoded for each caller.
public final class EncodedNotification {
    /// The whole line, newline included.
    public let line: [UInt8]
    /// The method of the notification.
    public let method: String
    /// The `pos` of the change. A caller that has received the notification has received all changes up to this
    /// position. Nil if the notification has no position.
    public package(set) var pos: Int?
    /// The newest journal row that the notification depends on. The notification is sent when that row is durable;
    /// 0 means immediately.
    public let row: Int
    /// The notification as a chunk of an event stream, which all streams share; nil until a stream needs it.
    @exclusivity(unchecked) package var eventChunk: [UInt8]?
    /// The range of the parameters in `line`.
    private let paramsRange: Range<Int>
    /// The parameters as a JSON object.
    public var params: ArraySlice<UInt8> { line[paramsRange] }

    /// Encodes a notification. `method` is its method, such as `change`, and `params` writes its parameters.
    public init(
        _ method: StaticString, row: Int = 0, pos: Int? = nil, _ params: (inout JSONWriter) -> Void
    ) {
        self.row = row
        self.method = method.description
        self.pos = pos
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.name("jsonrpc")
        writer.raw("\"2.0\"")
        writer.name("method")
        writer.raw("\"")
        writer.raw(method)
        writer.raw("\"")
        writer.name("params")
        let start = writer.count
        params(&writer)
        paramsRange = start..<writer.count
        writer.endObject()
        writer.newline()
        line = writer.bytes
    }

    /// The beginning of each line, up to the method's name.
    private static let beginning = Array(#"{"jsonrpc":"2.0","method":""#.utf8)
    /// The text between the method's name and the parameters.
    private static let paramsMember = Array(#"","params":"#.utf8)

    /// Whether a line that another dispatcher wrote is a notification rather than a reply.
    package static func isNotification(_ line: [UInt8]) -> Bool { line.starts(with: beginning) }

    /// Reads a line, without its newline, that another dispatcher wrote. Nil if the line is not a notification.
    package init?(relayed line: [UInt8]) {
        guard Self.isNotification(line) else { return nil }
        let remainder = line[Self.beginning.count...]
        guard let end = remainder.firstIndex(of: UInt8(ascii: "\"")),
            line[end...].starts(with: Self.paramsMember)
        else { return nil }
        method = String(decoding: remainder[..<end], as: UTF8.self)
        // The last byte of the line is the brace that closes the object.
        paramsRange = end + Self.paramsMember.count..<line.count - 1
        self.line = line + [UInt8(ascii: "\n")]
        // The other dispatcher has already waited for the row. The code that relays the line sets `pos`.
        (row, pos) = (0, nil)
    }

    /// Encodes a notification that waits for the row of `notification`, and has its position. `params` writes the parameters.
    convenience init(
        _ method: StaticString, of notification: Notification, _ params: (inout JSONWriter) -> Void
    ) {
        self.init(method, row: notification.row, pos: notification.pos, params)
    }
}
