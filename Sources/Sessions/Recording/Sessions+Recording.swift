public import GameFlow
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
        guard isRecorded else { return 0 }
        // What is left of its timers shows how far virtual time has got.
        return max(session.written.mark.position, isVirtual ? recording.daemon.position : 0)
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
        if id != nil { standing.ids += 1 }
        let isRestorable = isLast && change.kind != .close
        let changed = SessionRecord.Changed(
            RecordedStep(change), follows: follows,
            status(
                of: session, entry: change.entry, standing,
                isRestorable ? session.machine.snapshot : nil))
        let record = SessionRecord(
            .change(changed), session: session.name, seq: change.seq, at: change.at,
            pos: change.pos, id: id, idNumber: id == nil ? 0 : standing.ids)
        write(record, standing, of: session, change, before: rows.takeBefore(of: session))
    }

    /// The session as a record has it.
    private func status(
        of session: Session, entry: Int, _ standing: Checkpoint, _ machine: MachineSnapshot?
    ) -> SessionRecord.Status {
        SessionRecord.Status(
            flow: session.flow.name, flowVersion: session.flow.version,
            openedAt: session.openedAt, entry: entry, ids: standing.ids,
            machine: machine)
    }

    /// A timer's signal was handled. A countdown that fired without a change must not fire again after a restart:
    /// that needs a row of its own.
    func recordFiring(
        of signal: String, in session: Session, hasChanged: Bool, _ rows: inout CallRows
    ) {
        guard isRecorded, !hasChanged, session.machine.timer(signal) == nil else { return }
        recordRest(of: session, after: session.last, fired: signal, answer: nil, &rows)
    }

    /// A request with an id was answered with a beat: the same id gets it again.
    func recordAnswer(
        _ answer: Change, of session: Session, after last: Change?, _ rows: inout CallRows
    ) {
        guard isRecorded, rows.id != nil else { return }
        recordRest(of: session, after: last, fired: nil, answer: answer, &rows)
    }

    private func recordRest(
        of session: Session, after change: Change?, fired signal: String?, answer: Change?,
        _ rows: inout CallRows
    ) {
        guard let change else { return }
        let (id, follows) = rows.next()
        var standing = session.written
        if id != nil { standing.ids += 1 }
        let rest = SessionRecord.Rest(
            after: RecordedStep(change).asLast, pos: change.pos, at: change.at, fired: signal,
            answer: id == nil ? nil : answer.map { RecordedStep($0) }, follows: follows,
            status(of: session, entry: change.entry, standing, session.machine.snapshot))
        let record = SessionRecord(
            .rest(rest), session: session.name, seq: change.seq, at: now, pos: pos, id: id,
            idNumber: id == nil ? 0 : standing.ids)
        write(record, standing, of: session, nil, before: rows.takeBefore(of: session))
    }

    func recordRefusal(
        _ event: EventRecord, _ source: Source, _ error: RequestError, of session: Session,
        after seq: Int
    ) {
        guard isRecorded, auditsRefusals, recording.outage == nil,
            let refusal = recording.audit.refusal(of: event, source, error, limits)
        else { return }
        let record = SessionRecord(
            .refusal(refusal), session: session.name, seq: seq, at: now, pos: pos)
        write(record, session.written, of: session, nil, before: nil)
    }

    /// A deed of the daemon itself.
    private func recordDeed(_ body: SessionRecord.Body, seq: Int = 0) {
        guard let recorder, recording.outage == nil else { return }
        let record = SessionRecord(body, session: nil, seq: seq, at: now, pos: pos)
        recording.daemon = recorder(record, recording.daemon)
        recording.newest = recording.daemon.position
        var row = UncommittedRow(session: nil, Checkpoint(mark: recording.daemon), at: now)
        row.isStart = seq == SessionRecord.startSeq
        recording.uncommitted.append(row)
    }

    /// The virtual clock was moved: so far, and that many timers fired.
    func recordAdvance(_ step: Advance, _ source: Source?, fired: Int, isCutShort: Bool) {
        let by: Duration? = if case .by(let interval) = step { interval } else { nil }
        recordDeed(
            .advance(
                SessionRecord.Advanced(
                    to: now, fired: fired, isCutShort: isCutShort, by: by,
                    from: source.map { RecordedSource($0) })))
    }

    /// The daemon has begun, or begun again: what replaying needs to know of that, and what else there is to
    /// know.
    public func recordStart(_ notes: [Member], lastSign: Instant) {
        recording.start = SessionRecord.Start(now: now, lastSign: lastSign, notes: notes)
        recording.starts.add(recording.newest + 1, at: now, lastSign: lastSign)
        recordStart()
    }

    /// Once more, where it could not be kept.
    func recordStart() {
        if let start = recording.start { recordDeed(.start(start), seq: SessionRecord.startSeq) }
    }

    private func write(
        _ record: SessionRecord, _ standing: Checkpoint, of session: Session, _ change: Change?,
        before: PriorState?
    ) {
        var standing = standing
        let isFirst = standing.mark == .start
        if let recorder, recording.outage == nil {
            standing.mark = recorder(record, standing.mark)
            recording.newest = standing.mark.position
            if record.kind != .refusal { standing.state = standing.mark.position }
            if isFirst { standing.began = standing.mark.position }
        }
        session.written = standing
        var row = UncommittedRow(session: session, standing, at: now, change: change, id: record.id)
        row.before = before
        if change?.kind == .close {
            recording.closing.insert(session.name)
            row.forgotten = receipts.takeAll(of: session.name)
            row.watchers = subscriptions.take(of: session.name)
        }
        recording.uncommitted.append(row)
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

    private func settled(_ row: UncommittedRow) {
        recording.keptAt = row.at
        if let change = row.change { recording.keptPos = change.pos }
        guard let session = row.session else {
            if row.givenUp == nil { recording.keptDaemon = row.standing.mark }
            if row.isStart { recording.start = nil }
            return
        }
        session.kept = row.standing
        if row.change?.kind == .close {
            recording.closing.remove(session.name)
            subscriptions.end(row.watchers, of: session.name)
        }
    }
}
