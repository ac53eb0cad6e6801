internal import GameFlow
internal import JSON
internal import Timers

/// Reads what was written down of a change. Whatever is wrong with it is an error with a reason: a
/// record may have been written by another version, or by a disk.
struct RecordReader {
    /// Why a record cannot be read.
    struct Damage: Error { let why: String }

    let flow: String
    let openedAt: Instant
    /// The position of the daemon's newest change then, and of this one.
    let pos: Int
    let ownPos: Int
    /// The `pos` of the change that entered the state.
    let entry: Int
    /// When the change was, where something was done since that is none.
    let changedAt: Instant?
    /// The countdown that has fired since.
    let fired: String?
    /// What a request was answered that is no change.
    let answer: Step?
    /// Whether it came of the change before it.
    let follows: Bool
    let step: Step
    let order: Change.Order?
    let id: String?
    /// How many requests with an id its session had.
    let ids: Int
    /// Nil of the record of a session's end.
    let snapshot: MachineSnapshot?

    init(_ record: SessionRecord) throws(Damage) {
        let body = try Fields(record.body)
        flow = try body.text("flow")
        openedAt = try body.instant("openedNs")
        pos = try body.count("pos")
        guard 0...Fields.most ~= record.seq else { throw Damage(why: "seq: out of range") }
        fired = try body.find("fired") == nil ? nil : body.text("fired")
        answer = try body.find("answer") == nil ? nil : Self.step(body.object("answer"))
        let isRest = body.find("rest") != nil
        ownPos = try isRest ? body.count("lastPos") : pos
        entry = try body.find("entry") == nil ? ownPos : body.count("entry")
        changedAt = try isRest ? body.instant("lastNs") : nil
        follows = body.find("follows") != nil
        id = try body.find("id") == nil ? nil : body.text("id")
        ids = try body.find("ids") == nil ? 0 : body.count("ids")
        let step = try Self.step(body)
        self.step = step
        order = try Self.order(body, step.kind)
        guard step.kind != .close else {
            snapshot = nil
            return
        }
        guard let place = step.to else { throw Damage(why: "to: missing") }
        snapshot = try Self.snapshot(body, place)
    }

    /// The change that was written down.
    func change(_ record: SessionRecord, _ session: SessionName) -> Change {
        Change(
            session, seq: record.seq, pos: ownPos, entry: entry, previous: 0,
            at: changedAt ?? record.at, step, order: order)
    }

    /// The answer that the record's request got.
    func answer(_ record: SessionRecord, _ session: SessionName) -> Change {
        guard let answer else { return change(record, session) }
        return Change(
            session, seq: record.seq, pos: ownPos, entry: entry, previous: 0,
            at: record.at, answer)
    }

    private static func step(_ body: Fields) throws(Damage) -> Step {
        guard let kind = Step.Kind(rawValue: try body.text("kind")) else {
            throw Damage(why: "kind: unknown")
        }
        var effects: [RequestedEffect] = []
        for asked in try body.objects("effects") {
            effects.append(
                RequestedEffect(
                    name: try asked.text("name"),
                    arguments: try asked.find("args") == nil ? [] : asked.object("args").members))
        }
        return Step(
            kind, try body.find("event") == nil ? nil : happening(body.object("event")),
            from: try source(body.object("source")), try place(body, "from"),
            try place(body, "to"), effects: effects,
            missed: try body.find("missed") == nil ? 0 : body.count("missed"))
    }

    private static func order(_ body: Fields, _ kind: Step.Kind) throws(Damage) -> Change.Order? {
        switch kind {
        case .goto, .drop:
            return .override(reason: try body.find("reason") == nil ? nil : body.text("reason"))
        case .timer:
            let timer = try body.object("timer")
            guard let action = TimerOperation.Action(rawValue: try timer.text("action")) else {
                throw Damage(why: "action: unknown")
            }
            let by = try timer.find("byMs") == nil ? nil : timer.int("byMs")
            return .timer(
                TimerOperation(
                    try timer.text("fires"), action, by: by.map { .milliseconds(Int64($0)) }))
        case .open, .enter, .keep, .defer, .close: return nil
        }
    }

    private static func place(_ body: Fields, _ name: String) throws(Damage) -> Place? {
        guard body.find(name) != nil else { return nil }
        let place = try body.object(name)
        return Place(try place.text("state"), try place.object("data").members)
    }

    private static func happening(_ event: Fields) throws(Damage) -> Happening {
        Happening(try event.text("name"), try event.object("args").members)
    }

    static func source(_ source: Fields) throws(Damage) -> Source {
        guard let kind = Source.Kind(rawValue: try source.text("kind")) else {
            throw Damage(why: "source: unknown")
        }
        if kind == .timer, source.find("peer") == nil { return .timer }
        let principal = source.find("as") == nil ? nil : try source.text("as")
        return Source(kind, peer: try peer(source), as: principal)
    }

    private static func peer(_ source: Fields) throws(Damage) -> Source.Peer? {
        guard source.find("peer") != nil else { return nil }
        let peer = try source.object("peer")
        if peer.find("address") != nil { return .address(try peer.text("address")) }
        if peer.find("device") != nil { return .device(try peer.text("device")) }
        let (pid, uid, gid) = (try peer.int("pid"), try peer.int("uid"), try peer.int("gid"))
        guard let pid = Int32(exactly: pid), let uid = UInt32(exactly: uid),
            let gid = UInt32(exactly: gid)
        else { throw Damage(why: "peer: out of range") }
        return .process(pid: pid, uid: uid, gid: gid)
    }

    private static func snapshot(_ body: Fields, _ place: Place) throws(Damage) -> MachineSnapshot {
        var timers: [TimerRecord] = []
        let (written, orders) = (try body.objects("timers"), try body.counts("orders"))
        guard written.count == orders.count else { throw Damage(why: "orders: not as many") }
        for (timer, order) in zip(written, orders) { timers.append(try self.timer(timer, order)) }
        var waiting: [MachineSnapshot.Deferred] = []
        for deferred in try body.objects("waiting") {
            waiting.append(
                MachineSnapshot.Deferred(
                    try happening(deferred.object("event")),
                    from: try source(deferred.object("source"))))
        }
        return MachineSnapshot(place: place, timers: timers, waiting: waiting)
    }

    private static func timer(_ timer: Fields, _ order: Int) throws(Damage) -> TimerRecord {
        let standing: TimerRecord.Standing =
            try timer.find("untilNs") != nil
            ? .running(until: Instant(nanoseconds: timer.nanoseconds("untilNs")))
            : .paused(remaining: Duration.nanoseconds(timer.nanoseconds("leftNs")))
        let total = Duration.nanoseconds(try timer.nanoseconds("totalNs"))
        guard total >= .zero, total <= .longest else { throw Damage(why: "totalNs: out of range") }
        guard let order = UInt64(exactly: order) else { throw Damage(why: "orders: negative") }
        return TimerRecord(
            fires: try timer.text("fires"), total: total, standing: standing, order: order)
    }
}
