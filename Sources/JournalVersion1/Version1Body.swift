internal import GameFlow
internal import JSONCoding
package import Journal
package import Sessions
internal import Timers

/// Decodes a row's body of version 1, which is JSON.
package enum Version1Body {
    /// The record of a row of version 1.
    package static func record(of row: JournalRow) throws(UnreadableRowError) -> SessionRecord {
        try RecordReader.record(row.head) { (session) throws(UnreadableRowError) in
            try read(row, session)
        }
    }

    /// Decodes the body of a row of the given session. Only the daemon's own rows have none.
    private static func read(_ row: JournalRow, _ session: SessionName?) throws(UnreadableRowError)
        -> (pos: Int, content: SessionRecord.Body)
    {
        let body = try Version1Object(row.body)
        let pos = try body.count("pos")
        guard let session else { return (pos, try daemon(body)) }
        switch row.kind {
        case .refusal: return (pos, .refusal(try refusal(body, row, session)))
        case .rest: return (pos, try rest(body, row, session))
        case .change: return (pos, try change(body, row, session, pos))
        case .daemon, .forgotten: throw UnreadableRowError(why: "version 1 has no rows of its kind")
        }
    }

    // MARK: record bodies

    private static func daemon(_ body: Version1Object) throws(UnreadableRowError)
        -> SessionRecord.Body
    {
        let now = try body.instant("nowNs")
        if try body.text("kind") == "start" {
            let namesOfStartFields = ["kind", "pos", "nowNs", "lastSignNs"]
            return .start(
                SessionRecord.Start(
                    now: now, lastAlive: try body.instant("lastSignNs"),
                    notes: body.members.filter { !namesOfStartFields.contains($0.name) }))
        }
        let by = try body.find("byNs") == nil ? nil : body.nanoseconds("byNs")
        return .advance(
            SessionRecord.ClockAdvance(
                to: now, fired: try body.find("fired") == nil ? 0 : body.count("fired"),
                isCutShort: body.find("more") != nil, by: by.map { .nanoseconds($0) },
                from: try body.find("source") == nil ? nil : source(body.object("source"))))
    }

    private static func refusal(
        _ body: Version1Object, _ row: JournalRow, _ session: SessionName
    ) throws(UnreadableRowError) -> RefusedEvent {
        let (event, error) = (try body.object("event"), try body.object("error"))
        return RefusedEvent(
            try eventRecord(event),
            omittedBytes: try event.find("omittedBytes") == nil ? 0 : event.count("omittedBytes"),
            from: try source(body.object("source")),
            .recorded(
                code: try error.count("code"), name: try error.text("message"),
                data: try error.object("data").members),
            of: session, after: row.seq, at: Instant(nanoseconds: row.atNs),
            dropped: try body.find("dropped") == nil ? 0 : body.count("dropped"))
    }

    private static func change(
        _ body: Version1Object, _ row: JournalRow, _ session: SessionName, _ pos: Int
    ) throws(UnreadableRowError) -> SessionRecord.Body {
        let flow = try body.text("flow")
        let change = try change(
            body, of: session, seq: row.seq, pos: pos, at: Instant(nanoseconds: row.atNs))
        // In version 1, a close without a flow records that a quarantined session was given up.
        if flow.isEmpty, change.kind == .close {
            let why = try body.find("reason") == nil ? "" : body.text("reason")
            return .quarantineGivenUp(why: why, source: change.step.source)
        }
        return .change(
            try status(body, flow, change))
    }

    private static func rest(
        _ body: Version1Object, _ row: JournalRow, _ session: SessionName
    ) throws(UnreadableRowError) -> SessionRecord.Body {
        let pos = try body.count("lastPos")
        let last = try change(
            body, of: session, seq: row.seq, pos: pos, at: body.instant("lastNs"))
        let answer: Change? =
            try body.find("answer") == nil
            ? nil
            : change(
                body.object("answer"), of: session, seq: row.seq, pos: pos,
                at: Instant(nanoseconds: row.atNs))
        return .rest(
            try status(body, body.text("flow"), last),
            SessionRecord.Rest(
                fired: try body.find("fired") == nil ? nil : body.text("fired"), answer: answer))
    }

    private static func status(_ body: Version1Object, _ flow: String, _ change: Change)
        throws(UnreadableRowError) -> SessionRecord.Status
    {
        var machine: MachineRecord?
        if change.kind != .close {
            guard let place = change.step.to else { throw UnreadableRowError(why: "to: missing") }
            machine = try snapshot(body, place)
        }
        return SessionRecord.Status(
            change, isConsequence: body.find("follows") != nil, flow: flow,
            openedAt: try body.instant("openedNs"),
            requestIDCount: try body.find("ids") == nil ? 0 : body.count("ids"), machine: machine)
    }

    // MARK: parts

    /// The change that a body describes. Version 1 has no entries; its clients did not use them.
    private static func change(
        _ body: Version1Object, of session: SessionName, seq: Int, pos: Int, at instant: Instant
    ) throws(UnreadableRowError) -> Change {
        guard let kind = ChangeKind.find(name: try body.text("kind")) else {
            throw UnreadableRowError(why: "kind: unknown")
        }
        // The kinds with greater numbers were added later.
        guard kind.kind.number <= Step.Kind.close.number else {
            throw UnreadableRowError(why: "kind: not one of version 1")
        }
        var effects: [EffectRecord] = []
        for effect in try body.objects("effects") {
            effects.append(
                EffectRecord(
                    name: try effect.text("name"),
                    arguments: try effect.find("args") == nil ? [] : effect.object("args").members))
        }
        let step = Step(
            kind.kind, try body.find("event") == nil ? nil : eventRecord(body.object("event")),
            from: try source(body.object("source")), try place(body, "from"),
            try place(body, "to"), effects: effects,
            missed: try body.find("missed") == nil ? 0 : body.count("missed"))
        return Change(
            session, seq: seq, pos: pos, entry: pos, previous: 0, at: instant, step,
            details: try details(body, of: kind), view: nil)
    }

    private static func details(_ body: Version1Object, of kind: ChangeKind)
        throws(UnreadableRowError) -> Change.Details?
    {
        // Version 1 has no details of a closing, and none of events.
        guard kind.kind != .close, let type = kind.details, !type.isOfFirstStep else { return nil }
        guard let details = type.init(in: body.members) else {
            throw UnreadableRowError(why: "\(kind.name): its details are damaged")
        }
        return Change.Details(details)
    }

    /// The state in the member of this name; nil if the body does not have the member.
    private static func place(_ body: Version1Object, _ name: String) throws(UnreadableRowError)
        -> StateRecord?
    {
        guard body.find(name) != nil else { return nil }
        let place = try body.object(name)
        return StateRecord(try place.text("state"), try place.object("data").members)
    }

    private static func eventRecord(_ event: Version1Object) throws(UnreadableRowError)
        -> EventRecord
    {
        EventRecord(try event.text("name"), try event.object("args").members)
    }

    private static func source(_ source: Version1Object) throws(UnreadableRowError) -> Source {
        let kind = Source.Kind(try source.text("kind"))
        guard Source.Kind.numbered.contains(kind) else {
            throw UnreadableRowError(why: "source: unknown")
        }
        if kind == .timer, source.find("peer") == nil { return .timer }
        let principal = source.find("as") == nil ? nil : try source.text("as")
        return Source(kind, peer: try peer(source), as: principal)
    }

    private static func peer(_ source: Version1Object) throws(UnreadableRowError) -> Source.Peer? {
        guard source.find("peer") != nil else { return nil }
        let peer = try source.object("peer")
        if peer.find("address") != nil { return .address(try peer.text("address")) }
        if peer.find("device") != nil { return .device(try peer.text("device")) }
        let (pid, uid, gid) = (try peer.int("pid"), try peer.int("uid"), try peer.int("gid"))
        guard let pid = Int32(exactly: pid), let uid = UInt32(exactly: uid),
            let gid = UInt32(exactly: gid)
        else { throw UnreadableRowError(why: "peer: out of range") }
        return .process(pid: pid, uid: uid, gid: gid)
    }

    private static func snapshot(_ body: Version1Object, _ place: StateRecord)
        throws(UnreadableRowError) -> MachineRecord
    {
        var timers: [TimerRecord] = []
        // Version 1 has one array of timers, and a second array with the `order` of each timer.
        let (timerObjects, orders) = (try body.objects("timers"), try body.counts("orders"))
        guard timerObjects.count == orders.count else {
            throw UnreadableRowError(why: "orders: expected one for each timer")
        }
        for (timer, order) in zip(timerObjects, orders) {
            timers.append(try self.timer(timer, order))
        }
        var waiting: [MachineRecord.Deferred] = []
        for deferred in try body.objects("waiting") {
            waiting.append(
                MachineRecord.Deferred(
                    try eventRecord(deferred.object("event")),
                    from: try source(deferred.object("source"))))
        }
        return MachineRecord(place: place, timers: timers, waiting: waiting)
    }

    private static func timer(_ timer: Version1Object, _ order: Int) throws(UnreadableRowError)
        -> TimerRecord
    {
        let state: TimerRecord.TimerState =
            try timer.find("untilNs") != nil
            ? .running(until: Instant(nanoseconds: timer.nanoseconds("untilNs")))
            : .paused(remaining: Duration.nanoseconds(timer.nanoseconds("leftNs")))
        let total = Duration.nanoseconds(try timer.nanoseconds("totalNs"))
        guard total >= .zero, total <= .longest else {
            throw UnreadableRowError(why: "totalNs: out of range")
        }
        guard let order = UInt64(exactly: order) else {
            throw UnreadableRowError(why: "orders: negative")
        }
        return TimerRecord(
            fires: try timer.text("fires"), total: total, state: state, order: order)
    }
}

/// A JSON object in a body of version 1. The functions read a member by name, and throw if it is missing or has another type
/// than expected.
struct Version1Object {
    let members: [Member]

    init(_ members: [Member]) { self.members = members }

    /// Parses the object.
    init(_ json: [UInt8]) throws(UnreadableRowError) {
        var text = JSONText()
        do { try text.read(json[...]) } catch { throw UnreadableRowError(why: "not JSON") }
        guard text.kind(JSONText.root) == .object else {
            throw UnreadableRowError(why: "not a JSON object")
        }
        members = text.object(at: JSONText.root)
    }

    /// The value of a member; nil if it is missing or null.
    func find(_ name: String) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    func text(_ name: String) throws(UnreadableRowError) -> String {
        guard case .string(let text) = find(name) else { throw damageError(name, "a string") }
        return text
    }

    func int(_ name: String) throws(UnreadableRowError) -> Int {
        guard case .int(let number) = find(name) else { throw damageError(name, "an integer") }
        return number
    }

    /// A number that is not negative, and so small that adding to it cannot overflow.
    func count(_ name: String) throws(UnreadableRowError) -> Int {
        let number = try int(name)
        guard 0...Self.greatestNumber ~= number else { throw damageError(name, "a count") }
        return number
    }

    /// The greatest count, equal to `JournalRow.greatestNumber`.
    static let greatestNumber = 1 << 53

    /// A number of nanoseconds, which version 1 writes as a string.
    func nanoseconds(_ name: String) throws(UnreadableRowError) -> Int64 {
        guard let number = Int64(try text(name)) else { throw damageError(name, "nanoseconds") }
        return number
    }

    /// An instant in the range of the clock.
    func instant(_ name: String) throws(UnreadableRowError) -> Instant {
        let instant = Instant(nanoseconds: try nanoseconds(name))
        guard Instant.zero...Instant.last ~= instant else { throw damageError(name, "an instant") }
        return instant
    }

    func object(_ name: String) throws(UnreadableRowError) -> Version1Object {
        guard case .object(let members) = find(name) else { throw damageError(name, "an object") }
        return Version1Object(members)
    }

    func objects(_ name: String) throws(UnreadableRowError) -> [Version1Object] {
        guard case .array(let values) = find(name) else { throw damageError(name, "an array") }
        var objects: [Version1Object] = []
        for value in values {
            guard case .object(let members) = value else { throw damageError(name, "objects") }
            objects.append(Version1Object(members))
        }
        return objects
    }

    func counts(_ name: String) throws(UnreadableRowError) -> [Int] {
        guard case .array(let values) = find(name) else { throw damageError(name, "an array") }
        var numbers: [Int] = []
        for value in values {
            guard case .int(let number) = value, 0...Self.greatestNumber ~= number else {
                throw damageError(name, "counts")
            }
            numbers.append(number)
        }
        return numbers
    }

    /// The error for a member that does not have the expected type.
    private func damageError(_ name: String, _ expected: String) -> UnreadableRowError {
        UnreadableRowError(why: "\(name): expected \(expected)")
    }
}
