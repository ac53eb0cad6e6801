public import GameFlow
internal import Support
internal import Timers

/// The sessions' behaviour when the store fails.
///
/// Changes that are not durable are undone. Their sessions show the last durable state, and are restored from
/// the store, by the same code as at a start, before the next change.
extension Sessions {
    /// The reason for which no change can be recorded at present; nil while the store works.
    public var outage: String? { recording.outage }

    /// Handles a failure of the store: sets numbers, cached answers and virtual time back to the last durable
    /// row. Every change is refused until `storageIsBack`.
    ///
    /// Returns the openings that were undone.
    public func storageFailed(_ why: String) -> [UndoneOpening] {
        let rows = takeUncommitted()
        recording.outage = why
        for row in rows.reversed() { forget(row) }
        var shown: [ObjectIdentifier: PriorState] = [:]
        for row in rows {
            guard let session = row.session else {
                if row.isCommand { recording.isCommandDoubtful = true }
                continue
            }
            recording.doubtful.insert(session.name)
            if shown[ObjectIdentifier(session)] == nil {
                shown[ObjectIdentifier(session)] = row.before
            }
        }
        freeze(rows.compactMap(\.session), shown)
        if revertClock() {
            freeze(index.page(after: nil, limit: .max) { _ in true }, [:])
        }
        recording.closing = []
        ring.removeAll(after: recording.durablePos)
        recording.daemon = recording.durableDaemon
        recording.newest = recording.durable
        recording.failedAt = now
        publish()
        return rows.compactMap { UndoneOpening($0) }
    }

    /// The opening of a session that was undone before it was durable.
    public struct UndoneOpening {
        public let session: SessionName
        public let source: Source

        init?(_ row: UncommittedRow) {
            guard let change = row.change, change.kind == .open else { return nil }
            (session, source) = (change.session, change.step.source)
        }
    }

    /// The sessions that must be restored before the store is in use again.
    public var frozenSessions: [SessionName] {
        recording.frozen.keys.sorted()
    }

    /// Handles the return of the store. `rows` are the newest rows of the sessions to restore.
    public func storageIsBack(_ rows: [WrittenSession]) {
        restoreFrozen(rows)
        recording.outage = nil
        recording.doubtful = []
        recording.isCommandDoubtful = false
        recordStart()
    }

    /// Throws while the store is out. The outcome is `unknown` for a session with undone changes, because such
    /// a change may be on the disk.
    func check(storing name: SessionName) throws(RequestError) {
        guard let outage else { return }
        #if FAULT_INJECTION
            if injectedFaults.contains(.takesWhileOut) { return }
        #endif
        let isDoubtful = recording.doubtful.contains(name)
        throw .storage(why: outage, outcome: isDoubtful ? .unknown : .undone)
    }

    /// Returns the error for an action of the daemon itself while the store is out.
    func commandRefused(_ why: String) -> RequestError {
        .storage(why: why, outcome: recording.isCommandDoubtful ? .unknown : .undone)
    }

    // MARK: undoing changes that are not durable

    private func takeUncommitted() -> [UncommittedRow] {
        var rows: [UncommittedRow] = []
        while let row = recording.uncommitted.removeFirst() { rows.append(row) }
        return rows
    }

    /// Undoes a row's effects on the idempotency cache, on the watchers of a session that it closed, and on the
    /// quarantine.
    private func forget(_ row: UncommittedRow) {
        if let session = row.session {
            subscriptions.put(back: row.watchers, of: session.name)
            var forgets = true
            #if FAULT_INJECTION
                forgets = !injectedFaults.contains(.idsStay)
            #endif
            if forgets, let id = row.id { idempotencyCache.forget(id, of: session.name) }
        }
        for one in row.forgotten {
            idempotencyCache.remember(one.answer, as: one.id, of: one.session, mark: one.mark)
        }
        if let (name, source) = row.flowText {
            recording.texts.remove(.init(flow: name, version: source.version))
        }
        if let (name, why) = row.givenUp { recording.quarantine[name] = why }
    }

    /// Ends the machines of sessions, which then show their earlier state. Removes sessions that were never
    /// durable.
    private func freeze(_ sessions: [Session], _ shown: [ObjectIdentifier: PriorState]) {
        var done: Set<ObjectIdentifier> = []
        let sessions = sessions.filter { done.insert(ObjectIdentifier($0)).inserted }
        var ended: [SessionName] = []
        for session in sessions where session.durable == nil {
            session.machine.end()
            guard index[session.name] === session else { continue }
            index.remove(session)
            ended.append(session.name)
        }
        for session in sessions
        where session.durable != nil && recording.frozen[session.name] == nil {
            let before = shown[ObjectIdentifier(session)] ?? PriorState(session)
            session.freeze(before)
            recording.frozen[session.name] = before
            if index[session.name] == nil { index.insert(session) }
        }
        // Watchers of a session whose name exists again keep their watch.
        for name in ended where index[name] == nil { endWatches(of: name) }
    }

    /// Moves the virtual clock back to the last durable row; returns whether it moved. If so, all sessions are
    /// affected, because the pendulums of the others have fired since.
    private func revertClock() -> Bool {
        guard let time = timeline as? VirtualClock, time.now > recording.durableAt else {
            return false
        }
        time.goBack(to: recording.durableAt)
        return true
    }

    // MARK: restoring

    private func restoreFrozen(_ rows: [WrittenSession]) {
        var timers: [RestoredTimer] = []
        var missing = Set(recording.frozen.keys)
        for row in rows {
            guard let name = row.record.session, let session = index[name],
                missing.contains(name)
            else { continue }
            #if FAULT_INJECTION
                if injectedFaults.contains(.partialUndo), missing.count < recording.frozen.count {
                    continue
                }
            #endif
            missing.remove(name)
            thaw(session, row, adding: &timers)
        }
        for name in missing.sorted() { quarantine(name, "its rows are missing") }
        recording.frozen = [:]
        #if FAULT_INJECTION
            if injectedFaults.contains(.timersStay) { timers = [] }
        #endif
        RestoredTimer.set(timers, on: timerQueue, isAll: false)
    }

    private func thaw(
        _ session: Session, _ row: WrittenSession, adding timers: inout [RestoredTimer]
    ) {
        let restarts = recording.starts.restarts(after: row.record.position ?? row.mark.position)
        // Virtual time is back at the newest durable row, and so are all pendulums.
        let pendulums = isVirtual ? [:] : recording.frozen[session.name]?.pendulums ?? [:]
        let pause = Downtime(
            since: recording.failedAt, pendulums: pendulums, pausedTime: restarts.pausedTime,
            restartedAt: restarts.last)
        do throws(RestoreError) { try session.thaw(row, pause, adding: &timers) } catch {
            quarantine(session.name, error.why)
        }
    }

    private func quarantine(_ name: SessionName, _ why: String) {
        recording.quarantine[name] = why
        if let session = index[name] { index.remove(session) }
    }
}
