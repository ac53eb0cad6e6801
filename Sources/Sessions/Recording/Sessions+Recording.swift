internal import GameFlow
public import JSON
internal import Support
public import Timers

/// Writing down what happens, for a journal to keep.
extension Sessions {
    /// Whether anybody writes down what happens.
    public var isRecorded: Bool { recorder != nil }
    /// The position of the newest row: what everything that is shown now waits for at most.
    public var newestRow: Int { recording.newest }
    /// The position of a session's newest row.
    public func newestRow(of session: Session) -> Int { session.written.mark.position }
    /// The position of a session's first row.
    public func firstRow(of session: Session) -> Int { session.written.began }
    /// The position of the newest row that is on the disk.
    public var keptRow: Int { recording.kept }
    /// How many rows are not known to be on the disk.
    public var uncommitted: Int { recording.uncommitted.count }
    /// Up to where changes are known to be kept; all of them where nothing is written down.
    var keptPos: Int { isRecorded ? recording.keptPos : pos }

    /// How many refused events the journal lacks because their sender had used up its bytes of that second.
    public var droppedRefusals: Int { recording.audit.dropped }
    /// Starts another second of the limits on refused events. To be called each second of real time.
    public func renewAuditLimits() { recording.audit.renew() }
    /// Whether refused events are written down, too.
    public var auditsRefusals: Bool {
        get { recording.audit.isOn }
        set { recording.audit.isOn = newValue }
    }

    /// The newest row that a session's present state shows.
    public func row(of session: Session) -> Int {
        // What is left of its timers shows how far virtual time has got.
        max(session.written.mark.position, isVirtual ? recording.daemon.position : 0)
    }

    /// Whether a row that is old enough to go is still needed: a session's newest, and those of its last ids.
    /// What belongs to a session that could not be taken up again is kept for whoever mends it.
    public func needs(_ position: Int, of name: SessionName, idNumber: Int?) -> Bool {
        guard let session = index[name] else {
            return recording.quarantine[name] != nil || recording.closing.contains(name)
        }
        guard let kept = session.kept, position < kept.state else { return true }
        guard let idNumber, position >= kept.began else { return false }
        return idNumber > kept.ids - limits.idsPerSession
    }

    // MARK: rows

    /// Writes the row of a change. The request's id belongs to the first row of its call. Only the last row of a
    /// session in a call holds what it takes to restore the session: they are committed together.
    func record(_ change: Change, of session: Session, _ rows: inout CallRows, isLast: Bool) {
        guard isRecorded else { return }
        let (id, follows) = rows.next()
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

    /// A timer's signal was handled. A countdown that fired without a change must not fire again after a restart:
    /// that needs a row of its own.
    func recordFiring(
        of signal: String, in session: Session, hasChanged: Bool, _ rows: inout CallRows
    ) {
        guard isRecorded, !hasChanged else { return }
        if session.machine.timer(signal) == nil {
            recordRest(of: session, fired: signal, answer: nil, &rows)
        } else {
            // A pendulum's beat has no row, but an undo returns to behind it.
            session.rememberBeat()
        }
    }

    /// A request with an id was answered with a beat: the same id gets it again.
    func recordAnswer(_ answer: Change, of session: Session, _ rows: inout CallRows) {
        guard isRecorded, rows.id != nil else { return }
        recordRest(of: session, fired: nil, answer: answer, &rows)
    }

    private func recordRest(
        of session: Session, fired signal: String?, answer: Change?, _ rows: inout CallRows
    ) {
        guard let change = session.written.change else { return }
        let (id, follows) = rows.next()
        var standing = session.written
        standing.snapshot = session.machine.snapshot
        if id != nil { standing.ids += 1 }
        let body = JSONWriter.bytes {
            $0.rest(
                after: change, of: session, standing, fired: signal,
                answer: id.flatMap { id in answer.map { (id, $0) } }, follows: follows, now: pos)
        }
        write(
            SessionRecord(
                .rest, session: session.name, seq: session.seq, at: now, id: id,
                idNumber: id == nil ? 0 : standing.ids, body: body), standing, of: session)
    }

    /// Where a session stands now without a row of its own: it is settled with the newest one.
    func remember(_ standing: Standing, of session: Session) {
        recording.uncommitted.append(
            Uncommitted(session: session, standing: standing, at: now, isChange: false, id: nil))
    }

    func record(_ refused: RefusedEvent, of session: Session) {
        guard isRecorded, auditsRefusals, recording.outage == nil,
            let body = recording.audit.body(of: refused, now: pos, limits)
        else { return }
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
        let isStart = kind == "start"
        let record = SessionRecord(
            .daemon, session: nil, seq: isStart ? SessionRecord.startSeq : 0, at: now, body: body)
        recording.daemon = recorder(record, recording.daemon)
        recording.newest = recording.daemon.position
        recording.uncommitted.append(
            Uncommitted(
                session: nil, standing: Standing(mark: recording.daemon), at: now, isChange: false,
                id: nil, isStart: isStart))
    }

    /// The daemon has begun, or begun again: what replaying needs to know of that.
    public func recordStart(_ members: [Member], lastSign: Instant) {
        let times = [
            Member("nowNs", String(now.nanoseconds)),
            Member("lastSignNs", String(lastSign.nanoseconds)),
        ]
        recording.start = times + members
        recordStart()
    }

    /// Once more, where it could not be kept.
    func recordStart() {
        if let start = recording.start { recordDeed("start", start) }
    }

    /// While the storage is out it only looks as if: what happened is taken back at the call's end.
    private func write(_ record: SessionRecord, _ standing: Standing, of session: Session) {
        var standing = standing
        let isFirst = standing.mark == .start
        if let recorder, recording.outage == nil {
            standing.mark = recorder(record, standing.mark)
            recording.newest = standing.mark.position
            if record.kind != .refusal { standing.state = standing.mark.position }
            if isFirst { standing.began = standing.mark.position }
        }
        session.written = standing
        if standing.snapshot == nil { recording.closing.insert(session.name) }
        let isClosed = standing.snapshot == nil
        recording.uncommitted.append(
            Uncommitted(
                session: session, standing: standing, at: now, isChange: record.kind == .change,
                id: record.id, forgotten: isClosed ? receipts.takeAll(of: session.name) : [],
                watchers: isClosed ? subscriptions.take(of: session.name) : WatcherList()))
    }

    // MARK: what became of them

    /// Everything up to a row is on the disk.
    public func settle(upTo position: Int) {
        while let first = recording.uncommitted.first, first.standing.mark.position <= position {
            _ = recording.uncommitted.removeFirst()
            settled(first)
        }
        recording.kept = max(recording.kept, position)
        publish()
    }

    private func settled(_ row: Uncommitted) {
        recording.keptAt = row.at
        if row.isChange, let change = row.standing.change { recording.keptPos = change.pos }
        guard let session = row.session else {
            if row.givenUp == nil { recording.keptDaemon = row.standing.mark }
            if row.isStart { recording.start = nil }
            return
        }
        session.kept = row.standing
        if row.standing.snapshot == nil {
            recording.closing.remove(session.name)
            subscriptions.end(row.watchers, of: session.name)
        }
    }
}
