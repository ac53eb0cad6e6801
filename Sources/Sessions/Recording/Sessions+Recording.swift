internal import GameFlow
public import JSON
public import Timers

/// Writing down what happens, for a journal to keep.
extension Sessions {
    /// Whether anybody writes down what happens.
    public var isRecorded: Bool { recorder != nil }
    /// The position of the newest row: what everything that is shown now waits for at most.
    public var newestRow: Int { recording.newest }
    /// The position of a session's newest row.
    public func newestRow(of session: Session) -> Int { session.written.mark.position }
    /// The position of the newest row that is on the disk.
    public var keptRow: Int { recording.kept }
    /// How many rows are not known to be on the disk.
    public var uncommitted: Int { recording.uncommitted.count }
    /// Up to where changes are known to be kept; all of them where nothing is written down.
    var keptPos: Int { isRecorded ? recording.keptPos : pos }

    /// Whether refused events are written down, too.
    public var auditsRefusals: Bool {
        get { recording.auditsRefusals }
        set { recording.auditsRefusals = newValue }
    }

    /// What the request at hand has looked at or changed: its newest row. Whatever is told of it waits until
    /// that is kept.
    public var seen: Int { recording.seen }

    /// Another request is at hand.
    public func forgetSeen() { recording.seen = 0 }

    func see(_ position: Int) { recording.seen = max(recording.seen, position) }
    func seeAll() { recording.seen = recording.newest }

    /// A call is over: what is written down next follows from nothing.
    func endCall() {
        requestID = nil
        recording.leads = true
    }

    /// Whether a row that is old enough to go is still needed: a session's newest, and those of its last ids.
    /// What belongs to a session that could not be taken up again is kept for whoever mends it.
    public func needs(_ position: Int, of name: SessionName, idNumber: Int?) -> Bool {
        guard let session = index[name] else { return recording.quarantine[name] != nil }
        guard let kept = session.kept, position < kept.state else { return true }
        guard let idNumber, position >= kept.began else { return false }
        return idNumber > kept.ids - limits.idsPerSession
    }

    // MARK: rows

    /// An id belongs to the first change that its request leads to.
    func record(_ change: Change, of session: Session) {
        guard isRecorded else { return }
        let id = exchange(&requestID, with: nil)
        let follows = !exchange(&recording.leads, with: false)
        var standing = session.written
        standing.change = change
        standing.snapshot = change.kind == .close ? nil : session.machine.snapshot
        if id != nil { standing.ids += 1 }
        let body = JSONWriter.bytes {
            $0.record(change, of: session, standing, id: id, follows: follows)
        }
        write(
            SessionRecord(
                session: session.name, seq: change.seq, at: change.at, id: id,
                idNumber: id == nil ? 0 : standing.ids, body: body), standing, of: session)
    }

    /// A countdown fired and changed nothing: the session as it is, lest it fires again.
    func recordFiring(_ signal: String, of session: Session) {
        guard isRecorded, let change = session.written.change else { return }
        var standing = session.written
        standing.snapshot = session.machine.snapshot
        let body = JSONWriter.bytes {
            $0.record(change, of: session, standing, fired: signal, now: pos)
        }
        write(
            SessionRecord(.firing, session: session.name, seq: session.seq, at: now, body: body),
            standing, of: session)
    }

    func record(_ refused: RefusedEvent, of session: Session) {
        guard isRecorded, auditsRefusals, recording.outage == nil else { return }
        let body = JSONWriter.bytes { $0.refusal(refused, now: pos) }
        write(
            SessionRecord(.refusal, session: session.name, seq: session.seq, at: now, body: body),
            session.written, of: session)
    }

    /// A deed of the daemon itself; `members` writes what there is to know of it.
    func recordDeed(_ kind: String, _ members: [Member]) {
        guard let recorder, recording.outage == nil else { return }
        let body = JSONWriter.bytes {
            $0.object([Member("kind", kind), Member("pos", pos)] + members)
        }
        let record = SessionRecord(.daemon, session: nil, seq: 0, at: now, body: body)
        recording.daemon = recorder(record, recording.daemon)
        recording.newest = recording.daemon.position
        seeAll()
        recording.uncommitted.append(
            Uncommitted(
                session: nil, standing: Standing(mark: recording.daemon), isChange: false, id: nil))
    }

    /// The daemon has begun, or begun again: what replaying needs to know of that.
    public func recordStart(_ members: [Member], lastSign: Instant) {
        let times = [
            Member("nowNs", String(now.nanoseconds)),
            Member("lastSignNs", String(lastSign.nanoseconds)),
        ]
        recordDeed("start", times + members)
    }

    /// While the storage is out it only looks as if: what happened is taken back at the call's end.
    private func write(_ record: SessionRecord, _ standing: Standing, of session: Session) {
        var standing = standing
        if let recorder, recording.outage == nil {
            standing.mark = recorder(record, standing.mark)
            recording.newest = standing.mark.position
            if record.kind != .refusal { standing.state = standing.mark.position }
            if standing.began == 0 { standing.began = standing.mark.position }
        }
        session.written = standing
        see(standing.mark.position)
        recording.uncommitted.append(
            Uncommitted(
                session: session, standing: standing, isChange: record.kind == .change,
                id: record.id,
                forgotten: standing.snapshot == nil ? receipts.takeAll(of: session.name) : []))
    }

    // MARK: what became of them

    /// Everything up to a row is on the disk.
    public func settle(upTo position: Int) {
        while let first = recording.uncommitted.first, first.standing.mark.position <= position {
            _ = recording.uncommitted.removeFirst()
            settled(first)
        }
        recording.kept = max(recording.kept, position)
    }

    private func settled(_ row: Uncommitted) {
        if row.isChange, let change = row.standing.change { recording.keptPos = change.pos }
        guard let session = row.session else {
            if row.givenUp == nil { recording.keptDaemon = row.standing.mark }
            return
        }
        session.kept = row.standing
        if row.standing.snapshot == nil { endWatches(of: session) }
    }
}
