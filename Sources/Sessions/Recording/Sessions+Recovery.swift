public import GameFlow
internal import Support
internal import Timers

/// What becomes of the sessions when the store fails.
///
/// Everything that is not durable is dropped. The sessions that it belonged to show their last durable state, and are
/// restored from the store, by the code that restores them at a start, before anything changes again.
extension Sessions {
    /// Why no change can be kept at present; nil while the store works.
    public var outage: String? { recording.outage }

    /// The store has failed: numbers, remembered ids and virtual time are as they were when the last durable row was
    /// written. From now on every change is refused, until `storageIsBack`.
    ///
    /// Returns the openings of sessions that were taken back.
    public func storageFailed(_ why: String) -> [UndoneOpening] {
        let rows = takeUncommitted()
        recording.outage = why
        for row in rows.reversed() { forget(row) }
        var shown: [ObjectIdentifier: PriorState] = [:]
        for row in rows {
            guard let session = row.session else {
                if !row.isStart { recording.isDeedDoubtful = true }
                continue
            }
            recording.doubtful.insert(session.name)
            if shown[ObjectIdentifier(session)] == nil {
                shown[ObjectIdentifier(session)] = row.before
            }
        }
        freeze(rows.compactMap(\.session), shown)
        if takeBackTime() {
            freeze(index.page(after: nil, limit: .max) { _ in true }, [:])
        }
        recording.closing = []
        ring.removeAll(after: recording.keptPos)
        recording.daemon = recording.keptDaemon
        recording.newest = recording.kept
        recording.failedAt = now
        publish()
        return rows.compactMap { UndoneOpening($0) }
    }

    /// A session that was opened, and whose opening was dropped before it was durable.
    public struct UndoneOpening {
        public let session: SessionName
        public let source: Source

        init?(_ row: UncommittedRow) {
            guard let change = row.change, change.kind == .open else { return nil }
            (session, source) = (change.session, change.step.source)
        }
    }

    /// The sessions that have to be restored before the store is back.
    public var frozenSessions: [SessionName] {
        recording.frozen.keys.sorted()
    }

    /// The store works again. `rows` are the newest rows of the sessions that have to be restored.
    public func storageIsBack(_ rows: [WrittenSession]) {
        restoreFrozen(rows)
        recording.outage = nil
        recording.doubtful = []
        recording.isDeedDoubtful = false
        recordStart()
    }

    /// Throws while the store is out. As long as nobody knows what the store has of the session, the change may be
    /// there from an earlier request.
    func check(storing name: SessionName) throws(RequestError) {
        guard let outage else { return }
        #if FAULT_INJECTION
            if injectedFaults.contains(.takesWhileOut) { return }
        #endif
        let isDoubtful = recording.doubtful.contains(name)
        throw .storage(why: outage, outcome: isDoubtful ? .unknown : .undone)
    }

    /// Why nothing of the daemon's own is done while the store is out.
    func deedRefused(_ why: String) -> RequestError {
        .storage(why: why, outcome: recording.isDeedDoubtful ? .unknown : .undone)
    }

    // MARK: dropping what is not durable

    private func takeUncommitted() -> [UncommittedRow] {
        var rows: [UncommittedRow] = []
        while let row = recording.uncommitted.removeFirst() { rows.append(row) }
        return rows
    }

    /// The ids that a row made remembered are unknown again, those that it made forgotten are not, and a session that
    /// it closed is watched as before.
    private func forget(_ row: UncommittedRow) {
        if let session = row.session {
            subscriptions.put(back: row.watchers, of: session.name)
            var forgets = true
            #if FAULT_INJECTION
                forgets = !injectedFaults.contains(.idsStay)
            #endif
            if forgets, let id = row.id { receipts.forget(id, of: session.name) }
        }
        for one in row.forgotten {
            receipts.remember(one.answer, as: one.id, of: one.session, mark: one.mark)
        }
        if let (name, why) = row.givenUp { recording.quarantine[name] = why }
    }

    /// Ends the machines of sessions, which show what they were before from now on. A session that was never durable
    /// is gone.
    private func freeze(_ sessions: [Session], _ shown: [ObjectIdentifier: PriorState]) {
        var done: Set<ObjectIdentifier> = []
        let sessions = sessions.filter { done.insert(ObjectIdentifier($0)).inserted }
        var ended: [SessionName] = []
        for session in sessions where session.kept == nil {
            session.machine.end()
            guard index[session.name] === session else { continue }
            index.remove(session)
            ended.append(session.name)
        }
        for session in sessions where session.kept != nil && recording.frozen[session.name] == nil {
            let before = shown[ObjectIdentifier(session)] ?? PriorState(session)
            session.freeze(before)
            recording.frozen[session.name] = before
            if index[session.name] == nil { index.insert(session) }
        }
        // Who watched one of the same name that is there again goes on watching it.
        for name in ended where index[name] == nil { endWatches(of: name) }
    }

    /// The virtual clock goes back to the last durable row; whether it had to. Then all sessions are affected: the
    /// pendulums of the others have beaten meanwhile.
    private func takeBackTime() -> Bool {
        guard let time = timeline as? VirtualClock, time.now > recording.keptAt else {
            return false
        }
        time.goBack(to: recording.keptAt)
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
        // Virtual time has gone back to the newest row, and all pendulums with it.
        let pendulums = isVirtual ? [:] : recording.frozen[session.name]?.pendulums ?? [:]
        let pause = Downtime(
            since: recording.failedAt, pendulums: pendulums, stoodStill: restarts.stoodStill,
            restartedAt: restarts.last)
        do throws(NotRestored) { try session.thaw(row, pause, adding: &timers) } catch {
            quarantine(session.name, error.why)
        }
    }

    private func quarantine(_ name: SessionName, _ why: String) {
        recording.quarantine[name] = why
        if let session = index[name] { index.remove(session) }
    }
}
