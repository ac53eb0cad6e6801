public import GameFlow
internal import Support
internal import Timers

/// The sessions' behaviour when the store fails.
///
/// When the store fails, the changes that are not durable are undone. The sessions of these changes are suspended: they show
/// their last durable states and take no events. When the store works again, the sessions are restored from it as at a start.
extension Sessions {
    /// Why no change can be recorded at present; nil while the store works.
    public var outage: String? { recording.outage }

    /// Handles a failure of the store: sets the numbers of changes, the cached answers and virtual time back to the newest
    /// durable row. Until `storageIsBack` is called, every change is refused.
    ///
    /// Returns the openings that were undone, so that the caller can open these sessions again later.
    public func storageFailed(_ why: String) -> [UndoneOpening] {
        let rows = takePending()
        recording.outage = why
        for row in rows.reversed() { revert(row) }
        // By session object and not by name, because a closed and a new session can have the same name.
        var earlierStates: [ObjectIdentifier: SessionState] = [:]
        for row in rows {
            switch row.content {
            case .ofSession(let row):
                recording.possiblyStored.insert(row.session.name)
                if earlierStates[ObjectIdentifier(row.session)] == nil {
                    earlierStates[ObjectIdentifier(row.session)] = row.before
                }
            case .advance, .quarantineEnd, .start, .flowText, .note: break
            }
        }
        suspend(rows.compactMap(\.session), earlierStates)
        if revertClock() {
            suspend(all, [:])
        }
        recording.closedNotDurable = []
        ring.removeAll(after: recording.durablePos)
        statesBeforeSteps.removeAll(after: recording.durablePos)
        recording.daemonRow = recording.durableDaemonRow
        recording.newestRow = recording.durableRow
        recording.failedAt = now
        publish()
        return rows.compactMap { UndoneOpening($0) }
    }

    /// An opening that was undone, because it was not durable when the store failed.
    public struct UndoneOpening {
        public let session: SessionName
        public let source: Source

        init?(_ row: PendingRow) {
            guard let change = row.change, change.kind == .open else { return nil }
            (session, source) = (change.session, change.step.source)
        }
    }

    /// The sessions that must be restored before the store is in use again.
    public var suspendedSessions: [SessionName] {
        recording.suspended.keys.sorted()
    }

    /// Handles the return of the store. `rows` are the newest rows of the sessions in `suspendedSessions`.
    public func storageIsBack(_ rows: [(SessionRecord, Checkpoint)]) {
        restoreSuspended(rows)
        recording.outage = nil
        recording.possiblyStored = []
        recording.outageEnd = now
        recordPendingStart()
        if auditsRefusals { recordOutage() }
    }

    /// Throws if the store does not work; the session `name` cannot be changed then. The request was not executed, but with an id it
    /// may repeat one whose change was undone, and which the store may contain nevertheless: the error's outcome is then `unknown`.
    func checkStoreWorks(for name: SessionName, hasID: Bool) throws(RequestError) {
        guard let outage else { return }
        // Only debug builds contain injected faults. Tests switch them on to prove that the checks of the tests find them.
        #if FAULT_INJECTION
            if injectedFaults.contains(.acceptsDuringOutage) { return }
        #endif
        let isPossiblyStored = hasID && recording.possiblyStored.contains(name)
        throw .storage(why: outage, outcome: isPossiblyStored ? .unknown : .undone)
    }

    /// The error during an outage for a request that belongs to no open session: to advance the clock, or to give up a
    /// quarantined session. No id makes such a request repeatable.
    func outageError(_ why: String) -> RequestError { .storage(why: why, outcome: .undone) }

    // MARK: undoing changes that are not durable

    /// Removes and returns the rows that are not durable, oldest first.
    private func takePending() -> [PendingRow] {
        var rows: [PendingRow] = []
        while let row = recording.pending.removeFirst() { rows.append(row) }
        return rows
    }

    /// Reverts the effects of the call that wrote the row on the idempotency cache, the watchers of a closed session, the set
    /// of recorded flow texts, and the quarantine.
    private func revert(_ row: PendingRow) {
        switch row.content {
        case .ofSession(let row): revert(row)
        case .flowText(let version): recording.recordedTexts.remove(version)
        case .quarantineEnd(let error): recording.quarantine[error.session] = error
        case .start, .advance, .note: break
        }
        for (id, answer) in row.removedAnswers {
            idempotencyCache.remember(answer, as: id, now: now)
        }
    }

    private func revert(_ row: PendingRow.SessionRow) {
        subscriptions.restore(row.watchers, of: row.session.name)
        if row.refusals > 0 {
            // The others were counted when they were left out.
            recording.audit.dropped += 1
            row.session.unrecordedRefusals += row.refusals
        }
        #if FAULT_INJECTION
            if injectedFaults.contains(.idsStay) { return }
        #endif
        if let id = row.id { idempotencyCache.remove(id, of: row.session.name) }
    }

    /// Suspends sessions: ends their machines and shows their earlier states. Removes a session whose opening was not durable.
    /// `earlierStates` contains, for each session with an undone change, its state before its first undone call. A session
    /// without an undone change is not in `earlierStates`, and shows its present state.
    private func suspend(_ sessions: [Session], _ earlierStates: [ObjectIdentifier: SessionState]) {
        var seen: Set<ObjectIdentifier> = []
        let sessions = sessions.filter { seen.insert(ObjectIdentifier($0)).inserted }
        var removedNames: [SessionName] = []
        for session in sessions where session.durableCheckpoint == nil {
            session.machine.end()
            guard index[session.name] === session else { continue }
            index.remove(session)
            removedNames.append(session.name)
        }
        for session in sessions
        where session.durableCheckpoint != nil && recording.suspended[session.name] == nil {
            let state = earlierStates[ObjectIdentifier(session)] ?? SessionState(session)
            session.suspend(showing: state)
            recording.suspended[session.name] = state
            if index[session.name] == nil {
                index.insert(session)
                stays?.closingWasRolledBack(of: session)
            }
        }
        // If an earlier session of the name is shown again, the watchers of the name keep their watch.
        for name in removedNames where index[name] == nil { endWatches(of: name) }
    }

    /// Moves the virtual clock back to the instant of the newest durable row; returns whether the clock moved. If it moved,
    /// all sessions are affected: pendulums of sessions without undone rows may have fired after that instant.
    private func revertClock() -> Bool {
        guard let clock = clock as? VirtualClock, clock.now > recording.durableAt else {
            return false
        }
        clock.goBack(to: recording.durableAt)
        return true
    }

    // MARK: restoring

    /// Restores all suspended sessions from `rows`, and then sets their timers in the order in which they were first set.
    private func restoreSuspended(_ rows: [(SessionRecord, Checkpoint)]) {
        var timers: [RestoredTimer] = []
        var missing = Set(recording.suspended.keys)
        for (record, checkpoint) in rows {
            guard let name = record.session, let session = index[name],
                missing.contains(name)
            else { continue }
            #if FAULT_INJECTION
                if injectedFaults.contains(.partialUndo), missing.count < recording.suspended.count
                {
                    continue
                }
            #endif
            missing.remove(name)
            resume(session, record, checkpoint, adding: &timers)
        }
        for name in missing.sorted() { quarantine(name, "its rows are missing") }
        recording.suspended = [:]
        #if FAULT_INJECTION
            if injectedFaults.contains(.timersNotRestored) { timers = [] }
        #endif
        RestoredTimer.set(timers, on: timerQueue, queueIsEmpty: false)
    }

    /// Restores a suspended session from a record, and adds its timers to `timers`; quarantines the session if that fails.
    private func resume(
        _ session: Session, _ record: SessionRecord, _ checkpoint: Checkpoint,
        adding timers: inout [RestoredTimer]
    ) {
        let restarts = recording.starts.restarts(after: checkpoint.stateRow)
        // Beats are not recorded, so on a real clock the deadlines of the pendulums come from memory. A virtual clock was
        // moved back to the instant of the newest durable row, so the deadlines follow from the rows.
        let pendulums =
            isVirtual ? [:] : recording.suspended[session.name]?.machine.pendulums ?? [:]
        // A `Downtime` says when a restored session's timers did not run. During a failure of the store the daemon runs on, so
        // the timers continue from the instant of the failure.
        let downtime = Downtime(
            since: recording.failedAt, pendulums: pendulums,
            earlierDowntime: restarts.earlierDowntime,
            restartedAt: restarts.lastInstant, snapshotAt: record.at)
        do throws(RestoreError) {
            try session.resume(record, checkpoint, downtime, adding: &timers)
        } catch { quarantine(session.name, error.why) }
    }

    private func quarantine(_ name: SessionName, _ why: String) {
        recording.quarantine[name] = QuarantineError(
            session: name, why: why, flow: index[name]?.flow.name)
        if let session = index[name] { index.remove(session) }
    }
}
