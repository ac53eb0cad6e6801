public import GameFlow
internal import Support
public import Timers

/// Recording changes in a journal.
extension Sessions {
    /// Whether changes are recorded in a journal.
    public var isRecorded: Bool { recorder != nil }
    /// The position of the newest row. When that row is durable, the present states of all sessions may be sent.
    public var newestRow: Int { recording.newestRow }
    /// Returns the position of a session's newest row.
    public func newestRow(of session: Session) -> Int {
        session.newestCheckpoint.newestRow.position
    }
    /// Returns the position of a session's first row.
    public func firstRow(of session: Session) -> Int { session.newestCheckpoint.firstRow }
    /// The position of the newest durable row.
    public var durableRow: Int { recording.durableRow }
    /// The number of rows that are not known to be durable.
    public var uncommittedRows: Int { recording.pending.count }
    /// The `pos` of the newest durable change; without a recorder, the `pos` of the newest change.
    var durablePos: Int { isRecorded ? recording.durablePos : pos }

    /// The number of refused events that the journal lacks because of the limits per second, or because the store did not work.
    public var droppedRefusals: Int { recording.audit.dropped }
    /// Lets the limits per second on recorded refusals count from 0 again. Must be called each second of real time.
    public func renewAuditLimits() { recording.audit.renew() }
    /// Whether refused events are recorded.
    public var auditsRefusals: Bool {
        get { recording.audit.isOn }
        set { recording.audit.isOn = newValue }
    }

    /// Returns the position of the newest row on which a session's status depends; 0 if there is none. The status may be sent
    /// when that row is durable.
    public func row(of session: Session) -> Int {
        guard isRecorded else { return 0 }
        // The remaining times of the timers depend on the present virtual time, which a row of the daemon records.
        return max(
            session.newestCheckpoint.newestRow.position,
            isVirtual ? recording.daemonRow.position : 0)
    }

    /// Returns the row on which an answer about this name depends, also if no session has the name.
    package func row(about name: SessionName) -> Int {
        openSession(name).map(row(of:)) ?? newestRow
    }

    /// Whether the session `name` still needs its row at `position`. A row that the session does not need is removed when the
    /// row is old enough. `idNumber` is the row's `SessionRecord.idNumber`; nil for a row without a request id.
    ///
    /// A session needs the row from which it is restored and all later rows, and the rows of its newest request ids. A
    /// quarantined session needs all its rows, for its repair. A closed session needs all its rows until the closing is
    /// durable.
    public func needs(_ position: Int, of name: SessionName, idNumber: Int?) -> Bool {
        guard let session = openSession(name) else {
            return recording.quarantine[name] != nil || recording.closedNotDurable.contains(name)
        }
        guard let durable = session.durableCheckpoint, position < durable.stateRow else {
            return true
        }
        // A restart fills the idempotency cache from the rows of the newest ids. A row before `firstRow` belongs to an earlier
        // session of the same name.
        guard let idNumber, position >= durable.firstRow else { return false }
        return idNumber > durable.requestIDCount - limits.idsPerSession
    }

    // MARK: rows

    /// Writes the row of a change. `rows` belongs to the running call: it gives the id of the request to the first row, and
    /// marks each later row as a consequence. `isLast` says whether this is the session's last change in the call. Only the
    /// row of the last change contains the snapshot for restoring the session. One snapshot is enough, because the rows of a
    /// call are committed together.
    func record(_ change: Change, of session: Session, _ rows: inout CallRows, isLast: Bool) {
        guard isRecorded else { return }
        if change.kind.has(.setsFlow) { recordText(of: session.flow) }
        let (id, isConsequence) = rows.beginRow()
        var checkpoint = session.newestCheckpoint
        if id != nil { checkpoint.requestIDCount += 1 }
        let isRestorable = isLast && change.kind != .close
        let status = status(
            of: session, after: change, isConsequence: isConsequence, checkpoint,
            isRestorable ? session.machine.snapshot : nil,
            change.kind == .open ? session.machine.chance : nil)
        let record = SessionRecord(
            status, id: id, idNumber: id == nil ? 0 : checkpoint.requestIDCount)
        write(
            record, checkpoint, of: session, change,
            before: rows.before?.takeForRow(of: session))
    }

    /// Returns the session's status for a record.
    private func status(
        of session: Session, after change: Change, isConsequence: Bool, _ checkpoint: Checkpoint,
        _ machine: MachineRecord?, _ chance: Chance? = nil
    ) -> SessionRecord.Status {
        let flow = session.flow
        return SessionRecord.Status(
            change, isConsequence: isConsequence, flow: flow.name, flowVersion: flow.version,
            sourceVersion: flow.source?.version, openedAt: session.openedAt, entry: change.entry,
            enteredAt: session.enteredAt, requestIDCount: checkpoint.requestIDCount,
            settings: flow.changedSettings, notes: session.notes, machine: machine, chance: chance)
    }

    /// Records the firing of a countdown if the firing made no change. Without this row, the countdown would fire again after a
    /// restart. The firing of a pendulum needs no row.
    func recordFiring(
        of signal: String, in session: Session, hasChanged: Bool, _ rows: inout CallRows
    ) {
        guard isRecorded, !hasChanged, session.machine.timer(signal)?.info.isPendulum != true
        else { return }
        recordWithoutChange(of: session, after: session.last, fired: signal, answer: nil, &rows)
    }

    /// Records that a request with an id was answered without a change. If the request is repeated, it then gets the same
    /// answer. `last` is the session's newest change before the request.
    func recordAnswer(
        _ answer: Change, of session: Session, after last: Change?, _ rows: inout CallRows
    ) {
        guard isRecorded, rows.id != nil else { return }
        recordWithoutChange(of: session, after: last, fired: nil, answer: answer, &rows)
    }

    /// Writes a row of the kind `rest`, which repeats `change`, the session's newest change.
    private func recordWithoutChange(
        of session: Session, after change: Change?, fired signal: String?, answer: Change?,
        _ rows: inout CallRows
    ) {
        guard let change else { return }
        let (id, isConsequence) = rows.beginRow()
        var checkpoint = session.newestCheckpoint
        if id != nil { checkpoint.requestIDCount += 1 }
        let status = status(
            of: session, after: change.repeated, isConsequence: isConsequence, checkpoint,
            session.machine.snapshot)
        let rest = SessionRecord.Rest(fired: signal, answer: id == nil ? nil : answer)
        let record = SessionRecord(
            .rest(status, rest), session: session.name, seq: change.seq, at: now, pos: pos,
            id: id,
            idNumber: id == nil ? 0 : checkpoint.requestIDCount)
        write(
            record, checkpoint, of: session, nil, before: rows.before?.takeForRow(of: session))
    }

    /// Records a refused event, if refusals are recorded. If the store does not work or a limit is reached, the event is counted as
    /// left out.
    func recordRefusal(_ refused: RefusedEvent, of session: Session) {
        guard isRecorded, auditsRefusals else { return }
        let dropped = session.unrecordedRefusals
        guard recording.outage == nil,
            let recorded = recording.audit.recorded(refused, dropped: dropped, limits)
        else {
            recording.audit.dropped += 1
            session.unrecordedRefusals += 1
            return
        }
        session.unrecordedRefusals = 0
        let record = SessionRecord(
            .refusal(recorded), session: recorded.session, seq: recorded.seq, at: recorded.at,
            pos: pos)
        write(
            record, session.newestCheckpoint, of: session, nil, before: nil,
            refusals: dropped + 1)
    }

    /// Records the text of a flow file. The row of the text is written before the row of the first session that plays this
    /// version of the flow.
    private func recordText(of flow: AnyFlow) {
        guard recording.outage == nil, let source = flow.source,
            recording.recordedTexts.insert(.init(flow: flow.name, version: source.version)).inserted
        else { return }
        catalog.keep(source, of: flow.name)
        let version = FlowCatalog.VersionKey(flow: flow.name, version: source.version)
        recordCommand(
            .flowText(name: flow.name, source), seq: SessionRecord.textSeq, .flowText(version))
    }

    /// Applies a correction of the clock from now on, and records it if `isStored` is true. During a failure of the store it is
    /// not recorded: the dates after a restart then are those of the restart.
    public func correctClock(by correction: Duration, isStored: Bool = true) {
        clockCorrections.add(correction, from: now)
        if isStored, isRecorded {
            recordCommand(.clock(correction: correction), seq: SessionRecord.clockSeq, .note)
        }
    }

    /// Records outcomes of outputs. Returns the position of the row; nil if nothing can be recorded at present.
    package func recordDeliveries(_ deliveries: [DeliveryRecord]) -> Int? {
        guard isRecorded, recording.outage == nil else { return nil }
        recordCommand(.deliveries(deliveries), .note)
        return recording.newestRow
    }

    /// Records an action of the daemon itself. `seq` marks the rows that must never be removed; see `SessionRecord.startSeq`.
    private func recordCommand(
        _ body: SessionRecord.Body, seq: Int = 0, _ content: PendingRow.Content
    ) {
        guard let recorder, recording.outage == nil else { return }
        let record = SessionRecord(body, session: nil, seq: seq, at: now, pos: pos)
        recording.daemonRow = recorder(record, recording.daemonRow)
        recording.newestRow = recording.daemonRow.position
        recording.pending.append(PendingRow(content, recording.daemonRow, at: now))
    }

    /// Records a move of the virtual clock.
    func recordAdvance(_ step: Advance, _ source: Source?, fired: Int, isCutShort: Bool) {
        let by: Duration? = if case .by(let interval) = step { interval } else { nil }
        recordCommand(
            .advance(
                SessionRecord.ClockAdvance(
                    to: now, fired: fired, isCutShort: isCutShort, by: by,
                    from: source)), .advance)
    }

    /// Records a start of the daemon, with further information in `notes`. `lastAlive` is the last instant at which the daemon
    /// is known to have run. `wasRunning` is true if another node has handed the sessions over.
    public func recordStart(_ notes: [Member], lastAlive: Instant, wasRunning: Bool = false) {
        let start =
            wasRunning
            ? SessionRecord.Start.handOver(now: now, lastAlive: lastAlive, notes: notes)
            : SessionRecord.Start(now: now, lastAlive: lastAlive, notes: notes)
        recordStart(start)
    }

    func recordStart(_ start: SessionRecord.Start) {
        recording.pendingStart = start
        // The next row will be the row of the start.
        recording.starts.add(recording.newestRow + 1, start)
        recordPendingStart()
    }

    /// Records the daemon's start if the row of the start is not durable yet: at the start, and again when the store is back
    /// after a failure.
    func recordPendingStart() {
        if let start = recording.pendingStart {
            recordCommand(.start(start), seq: SessionRecord.startSeq, .start)
        }
    }

    /// Records that refused events are missing: those of the time in which the store has not worked. If the store fails before the
    /// row is durable, its next return is recorded.
    func recordOutage() {
        let start = SessionRecord.Start.afterOutage(
            now: now, notes: [SessionRecord.Start.auditNote])
        recording.starts.add(recording.newestRow + 1, start)
        recordCommand(.start(start), seq: SessionRecord.startSeq, .note)
    }

    /// Writes a session's row to the store, and adds it to the rows that are not durable yet. `checkpoint` is the session's
    /// checkpoint before the row, but its `requestIDCount` includes the row's request. `change` is nil if the row records no
    /// change. `before` is the called session's state before the call. Only the first row of the call for that session gets
    /// this state, and a refusal never gets it. `refusals` is the number of refusals that the row of a refusal records or counts.
    private func write(
        _ record: SessionRecord, _ checkpoint: Checkpoint, of session: Session, _ change: Change?,
        before: SessionState?, refusals: Int = 0
    ) {
        var checkpoint = checkpoint
        let isFirst = checkpoint.newestRow == .start
        if let recorder, recording.outage == nil {
            checkpoint.newestRow = recorder(record, checkpoint.newestRow)
            recording.newestRow = checkpoint.newestRow.position
            if record.kind != .refusal { checkpoint.stateRow = checkpoint.newestRow.position }
            if isFirst { checkpoint.firstRow = checkpoint.newestRow.position }
        }
        session.newestCheckpoint = checkpoint
        var (watchers, removedAnswers) = (WatcherList(), [IdempotencyCache.RemovedAnswer]())
        if let change, change.kind == .close {
            recording.closedNotDurable.insert(session.name)
            removedAnswers = idempotencyCache.takeAll(of: session.name, now: now)
            // If a new session of this name is opened in the same step, the watchers of the name stay.
            if !change.isReplaced { watchers = subscriptions.watchers(of: session.name) }
        }
        let row = PendingRow.SessionRow(
            session, checkpoint, change, id: record.id, before: before, watchers,
            refusals: refusals)
        recording.pending.append(
            PendingRow(
                .ofSession(row), checkpoint.newestRow, at: now, removedAnswers: removedAnswers))
    }

    /// Removes the watchers by name of a closed session. Until the closing is durable, its pending row keeps them. They are
    /// removed after the notification of the change was queued, because they get it.
    func endRecordedWatches(of session: Session, after close: Change) {
        guard isRecorded, !close.isReplaced else { return }
        subscriptions.removeWatchers(of: session.name)
    }

    // MARK: durable rows

    /// Called when all rows up to `position` have become durable.
    public func rowsBecameDurable(upTo position: Int) {
        while !recording.pending.isEmpty, recording.pending[0].position.position <= position,
            let row = recording.pending.removeFirst()
        {
            rowBecameDurable(row)
        }
        recording.durableRow = max(recording.durableRow, position)
        publish()
    }

    private func rowBecameDurable(_ row: borrowing PendingRow) {
        recording.durableAt = row.at
        switch row.content {
        case .ofSession(let row): rowBecameDurable(row)
        case .start:
            recording.durableDaemonRow = row.position
            recording.pendingStart = nil
        case .flowText, .advance, .note: recording.durableDaemonRow = row.position
        case .quarantineEnd: break
        }
    }

    private func rowBecameDurable(_ row: PendingRow.SessionRow) {
        let session = row.session
        session.durableCheckpoint = row.checkpoint
        guard let change = row.change else { return }
        recording.durablePos = change.pos
        followStay(change, of: session)
        if change.kind == .close {
            recording.closedNotDurable.remove(session.name)
            subscriptions.addEnd(row.watchers, of: session.name)
        }
    }
}
